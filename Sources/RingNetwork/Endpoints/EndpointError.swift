internal import LinuxPlatform

/// Why a text is not an endpoint, or an endpoint cannot be used, and the remedy.
public struct EndpointError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was wrong, in a form that a program can test.
    public enum Reason: Sendable, Equatable {
        /// The host is empty.
        case emptyHost
        /// The text is neither an address nor a valid host name.
        case invalidHostName
        /// Not four decimal numbers from 0 to 255 (the strict form of RFC 6943).
        case invalidIPv4Address
        /// Not a text form of RFC 4291.
        case invalidIPv6Address
        /// The text after the percent sign of an IPv6 address is not an interface.
        case invalidZone
        /// A bracket is not closed.
        case unclosedBracket
        /// There are several colons outside of brackets.
        case missingBrackets
        /// No colon and port follow the host.
        case missingPort
        /// The port is not a decimal number.
        case invalidPort
        /// The port is above 65535.
        case portOutOfRange
        /// The text has a scheme, and an endpoint without one was expected.
        case unexpectedScheme
        /// There are characters that do not belong there.
        case strayCharacters
        /// A percent sign is not followed by two hexadecimal digits.
        case invalidPercentEncoding
        /// The path or abstract name of a Unix socket is empty.
        case emptyUnixName
        /// The path or abstract name of a Unix socket has more than 107 bytes.
        case unixNameTooLong
        /// The path of a Unix socket contains a NUL byte.
        case unixPathHasNUL
        /// The local endpoint of a ``Connector`` is the path of a Unix socket.
        case localUnixPath
        /// The endpoint is a host name that must be resolved first.
        case unresolvedHost
        /// The machine has no interface with the zone's name.
        case unknownInterface
    }

    /// For programs; `description` is for people.
    public let reason: Reason
    /// The cause and the remedy, in one line.
    public let description: String

    /// - Parameters:
    ///   - text: the offending text; shown shortened, without control characters.
    ///   - cause: continues the sentence after the text: "is not ...".
    init(_ reason: Reason, _ text: some Sequence<UInt8>, _ cause: String, remedy: String) {
        self.reason = reason
        description = "'\(EndpointError.shown(text))' \(cause); \(remedy)"
    }

    private static let longestShownBytes = 120

    private static func shown(_ text: some Sequence<UInt8>) -> String {
        let bytes = Array(text.prefix(longestShownBytes + 1))
        let kept = bytes.prefix(longestShownBytes)
        // The cut may split a character; a replacement character is fine here.
        return String(shown: kept) + (bytes.count > kept.count ? "..." : "")
    }
}
