import FileWatching
import SampleSupport
import WireFormats

/// A client's command: one line of JSON, or a URL's query.
struct ClientCommand {
    private(set) var paths: [[UInt8]] = []
    private(set) var globs: [Glob] = []
    private var globBytes = 0
    /// The last event that the client has received; nil: keep its position.
    private(set) var since: UInt64?
    /// The server instance that `since` belongs to; nil: this one.
    private(set) var instance: [UInt8]?

    /// The longest line that a client may send, in bytes.
    static let longestLine = 64 * 1024
    /// Most paths and globs of one client, since each event is compared with each of them.
    private static let patternLimit = 64
    /// Most bytes of all globs together. Comparing takes time in proportion to them.
    private static let globBytesLimit = 1024

    private static let remedy =
        #"Send one line such as {"paths":["src"],"globs":["*.swift"],"since":42}; each is optional"#

    init(line: [UInt8]) throws(Failure) {
        let value: JSONValue
        do { value = try JSONReader.read(line) } catch { throw Self.failure(error.words) }
        guard case .object(let members) = value else {
            throw Self.failure("the line is not a JSON object")
        }
        for member in members {
            switch member.name {
            case "paths": paths = try Self.strings(member)
            case "globs":
                for glob in try Self.strings(member) { try add(glob: glob) }
            case "since":
                guard case .integer(let number) = member.value else {
                    throw Self.failure("\"since\" is not a sequence number")
                }
                since = number
            case "instance":
                guard case .string(let name) = member.value else {
                    throw Self.failure("\"instance\" is not a string")
                }
                instance = name
            default:
                throw Self.failure("unknown member \"\(member.name.prefix(40))\"")
            }
        }
        try check()
    }

    /// `path=…&glob=…&since=…`, percent-encoded; `path` and `glob` may be repeated.
    init(query: String) throws(Failure) {
        for part in query.utf8.split(separator: UInt8(ascii: "&")) {
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            let value = Self.decodePercent(part.dropFirst(name.count + 1))
            switch String(decoding: name, as: UTF8.self) {
            case "path": paths.append(value)
            case "glob": try add(glob: value)
            case "since":
                guard let number = UInt64(String(decoding: value, as: UTF8.self)) else {
                    throw Failure("since= is not a sequence number")
                }
                since = number
            case "instance": instance = value
            default:
                throw Failure("unknown parameter; known are path, glob, since and instance")
            }
        }
        try check()
    }

    /// Replaces `since` and `instance` by the value of a Last-Event-ID header, an id of
    /// `Subscriber`. No event has the number of an invalid one.
    mutating func resume(after id: String) {
        let end = id.lastIndex(of: "-") ?? id.startIndex
        instance = Array(id[..<end].utf8)
        since = UInt64(id[end...].dropFirst()) ?? .max
    }

    func choice(roots: [[UInt8]]) -> Choice {
        Choice(paths: paths, globs: globs, globBytes: globBytes, roots: roots)
    }

    private mutating func add(glob: [UInt8]) throws(Failure) {
        globBytes += glob.count
        guard globBytes <= Self.globBytesLimit else {
            throw Self.failure(
                "the globs have more than \(Self.globBytesLimit) bytes together: "
                    + "send fewer or shorter ones")
        }
        guard let glob = Glob(glob) else { throw Self.failure("a glob is empty") }
        globs.append(glob)
    }

    private func check() throws(Failure) {
        guard paths.count + globs.count <= Self.patternLimit else {
            throw Self.failure(
                "more than \(Self.patternLimit) paths and globs: send fewer, such as the folders "
                    + "that contain the paths")
        }
        guard paths.allSatisfy({ !$0.isEmpty }) else { throw Self.failure("a path is empty") }
    }

    private static func strings(_ member: JSONValue.Member) throws(Failure) -> [[UInt8]] {
        guard case .array(let values) = member.value else {
            throw failure("\"\(member.name)\" is not an array of strings")
        }
        let strings = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        guard strings.count == values.count else {
            throw failure("\"\(member.name)\" is not an array of strings")
        }
        return strings
    }

    private static func failure(_ words: String) -> Failure {
        Failure(words + ". " + remedy)
    }

    /// Decodes as for forms: `+` is a space. A `%` without two digits stands for itself.
    private static func decodePercent(_ text: some Sequence<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return bytes
    }
}
