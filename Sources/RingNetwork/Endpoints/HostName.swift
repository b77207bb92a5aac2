/// A host name, in lower case: `www.example.org`.
///
/// Letters, digits, `-` and `_`; labels of up to 63 bytes, 253 bytes in all. A trailing dot is
/// kept, because it excludes search domains. Names that a resolver could read as an IPv4 address,
/// with a last label such as `1` or `0x7f`, are rejected. So is `unix`, because it is a scheme;
/// `unix.` is accepted.
public struct HostName: Sendable, Hashable {
    /// The name, in lower case.
    public let name: String

    /// Reads a host name; addresses are rejected.
    /// - Throws: ``EndpointError``, with the reason and the remedy.
    public init(_ string: String) throws {
        self = try HostName(text: Array(string.utf8)[...])
    }

    /// Whether the name is `localhost` or a name below it, which mean this machine (RFC 6761).
    public var isLocalhost: Bool {
        let relative = name.hasSuffix(".") ? name.dropLast() : name[...]
        return relative == "localhost" || relative.hasSuffix(".localhost")
    }

    static let longestBytes = 253
    static let longestLabelBytes = 63

    init(text: ArraySlice<UInt8>) throws(EndpointError) {
        guard !text.isEmpty else {
            throw EndpointError(
                .emptyHost, text, "is an empty host",
                remedy: "name one; 0.0.0.0 or [::] stands for every address of the machine")
        }
        func refusal(_ cause: String, _ remedy: String) -> EndpointError {
            EndpointError(.invalidHostName, text, cause, remedy: remedy)
        }
        if HostName.endsInNumber(text) {
            throw refusal("resembles an IPv4 address", "write a valid address, or a name")
        }
        guard text.allSatisfy({ $0 < 0x80 }) else {
            throw refusal("has letters that are not ASCII", "write the name's ASCII form (xn--...)")
        }
        let dot = UInt8(ascii: ".")
        let relative = text.last == dot ? text.dropLast() : text
        guard relative.count <= HostName.longestBytes else {
            throw refusal(
                "is longer than the \(HostName.longestBytes) bytes of a host name", "shorten it")
        }
        for label in relative.split(separator: dot, omittingEmptySubsequences: false) {
            guard 1...HostName.longestLabelBytes ~= label.count else {
                throw refusal(
                    "has a label that is empty or longer than \(HostName.longestLabelBytes) bytes",
                    "correct the labels between the dots")
            }
            let hyphen = UInt8(ascii: "-")
            guard label.allSatisfy(HostName.isInNames), label.first != hyphen, label.last != hyphen
            else {
                throw refusal(
                    "is neither a host name nor an address",
                    "use letters, digits, '_', and '-' inside of labels; no user, path or space")
            }
        }
        let name = String(decoding: text.map(\.lowercasedASCII), as: UTF8.self)
        guard name != "unix" else {
            throw refusal("is a scheme here", "write 'unix.' for the host")
        }
        self.name = name
    }

    private static func isInNames(_ byte: UInt8) -> Bool {
        byte.isDecimalDigit || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte.lowercasedASCII
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// Whether the last label is a number as in inet_aton(3): then the text can only be meant as an
    /// IPv4 address.
    static func endsInNumber(_ text: ArraySlice<UInt8>) -> Bool {
        let dot = UInt8(ascii: ".")
        let relative = text.last == dot ? text.dropLast() : text
        let labelStart = relative.lastIndex(of: dot).map { $0 + 1 } ?? relative.startIndex
        let label = relative[labelStart...]
        if label.isEmpty { return false }
        if label.allSatisfy(\.isDecimalDigit) { return true }
        let start = label.prefix(2).map(\.lowercasedASCII)
        return start == Array("0x".utf8)
            && label.dropFirst(2).allSatisfy { $0.hexadecimalValue != nil }
    }
}

extension HostName: CustomStringConvertible {
    public var description: String { name }
}
