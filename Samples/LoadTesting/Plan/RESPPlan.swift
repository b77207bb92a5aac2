/// The commands to a server of Redis's protocol: a weighted mix, and the number of keys.
public struct RESPPlan: Sendable, CustomStringConvertible {
    /// The commands, in lower case as in the text form.
    public enum Command: String, Sendable, CaseIterable {
        /// `PING`, which must be answered with `PONG`.
        case ping
        /// `GET` of a key, which must return the value that `SET` stores, or none.
        case get
        /// `SET` of a key.
        case set
    }

    /// The commands and how often each is sent, in proportion to the weights.
    public private(set) var mix: [(command: Command, weight: Int)] = [(.ping, 1)]
    /// How many keys `GET` and `SET` use.
    public var keys: UInt64 = 10_000
    static let valueSeed: UInt64 = 0x5EED_0000_0000
    private static let mostWeight = 1_000_000

    /// The default: `PING` only.
    public init() {}

    /// Reads `ping`, `set`, or a mix with weights: `get:90,set:10`.
    /// - Throws: ``LoadFailure``, with the cause and the remedy.
    public init(_ text: String) throws {
        mix = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: ":", omittingEmptySubsequences: false)
            let weight = pair.count == 2 ? Int(pair[1]) : pair.count == 1 ? 1 : nil
            guard let command = pair.first.flatMap({ Command(rawValue: $0.lowercased()) }),
                let weight, 1...Self.mostWeight ~= weight
            else {
                throw LoadFailure.usage(
                    "--commands \(text): write ping, get or set, with weights for a mix, as in "
                        + "get:90,set:10")
            }
            mix.append((command, weight))
        }
    }

    public var description: String {
        mix.map { "\($0.command.rawValue):\($0.weight)" }.joined(separator: ",")
    }

    func name(_ key: UInt64) -> String { "ringload:\(key)" }

    func choice(_ word: UInt64) -> (command: Command, key: UInt64) {
        var generator = SeededGenerator(state: word)
        let key = generator.next() % max(1, keys)
        guard mix.count > 1 else { return (mix[0].command, key) }
        let total = mix.reduce(0) { $0 + $1.weight }
        var place = Int(generator.next() % UInt64(total))
        for part in mix {
            if place < part.weight { return (part.command, key) }
            place -= part.weight
        }
        return (mix[0].command, key)
    }
}
