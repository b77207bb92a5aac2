/// The commands that a session knows. Their names have eight letters at most.
enum CommandName: UInt8, CaseIterable {
    case get, set, del, exists, incr, decr, incrby, decrby, append, strlen, mget, mset
    case expire, pexpire, ttl, pttl, persist, type
    case ping, echo, select, hello, quit, client, config, command, info
    case dbsize, flushdb, flushall

    /// As it is shown: in small letters.
    var text: String { "\(self)" }

    /// The name in whatever letters; nil: unknown.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let command = CommandTable.shared.find(bytes) else { return nil }
        self = command.name
    }

    /// How many words the command must have, its name included; negative: at least so many.
    var arity: Int8 {
        switch self {
        case .get, .incr, .decr, .strlen, .ttl, .pttl, .persist, .type, .echo, .select: 2
        case .incrby, .decrby, .append: 3
        case .set, .mset, .expire, .pexpire: -3
        case .del, .exists, .mget, .client, .config: -2
        case .ping, .hello, .quit, .command, .info, .flushdb, .flushall: -1
        case .dbsize: 1
        }
    }
}

/// The names of the commands, for one look-up without a loop over letters: a small hash table whose
/// entries are names of up to eight letters as one number.
final class CommandTable: Sendable {
    static let shared = CommandTable()

    struct Found {
        var name: CommandName
        var arity: Int8
    }

    struct Slot {
        /// The letters; 0: empty.
        var letters: UInt64 = 0
        var count: UInt8 = 0
        var found = Found(name: .get, arity: 0)
    }

    private static let slotCount = 256
    // Safety: written once in `init`, before it is shared; never freed.
    nonisolated(unsafe) private let slots: UnsafeMutablePointer<Slot>

    private init() {
        slots = .allocate(capacity: Self.slotCount)
        slots.initialize(repeating: Slot(), count: Self.slotCount)
        for name in CommandName.allCases {
            var text = name.text
            let (letters, count) = text.withUTF8 { bytes in
                (Self.letters(UnsafeRawBufferPointer(bytes)), bytes.count)
            }
            precondition(count <= 8, "command names have eight letters at most")
            var index = Self.home(letters)
            while slots[index].letters != 0 { index = (index + 1) % Self.slotCount }
            slots[index] = Slot(
                letters: letters, count: UInt8(count),
                found: Found(name: name, arity: name.arity))
        }
    }

    @inline(__always)
    func find(_ name: UnsafeRawBufferPointer) -> Found? {
        guard !name.isEmpty, name.count <= 8 else { return nil }
        let letters = Self.letters(name)
        var index = Self.home(letters)
        while slots[index].letters != 0 {
            if slots[index].letters == letters, Int(slots[index].count) == name.count {
                return slots[index].found
            }
            index = (index + 1) % Self.slotCount
        }
        return nil
    }

    @inline(__always)
    private static func home(_ letters: UInt64) -> Int {
        Int(truncatingIfNeeded: (letters &* 0x9e37_79b9_7f4a_7c15) >> 56)
    }

    /// The name's bytes without the bit that tells small letters from capitals: two loads that may
    /// overlap, so that names of the same length differ if any letter does.
    @inline(__always)
    private static func letters(_ name: UnsafeRawBufferPointer) -> UInt64 {
        let count = name.count
        let word: UInt64
        if count >= 4 {
            let first = name.loadUnaligned(as: UInt32.self)
            let last = name.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
            word = UInt64(first) | UInt64(last) << 32
        } else {
            word = UInt64(name[0]) | UInt64(name[count / 2]) << 8 | UInt64(name[count - 1]) << 16
        }
        return word & 0xdfdf_dfdf_dfdf_dfdf
    }
}
