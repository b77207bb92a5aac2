/// Why a text is no endpoint, or an endpoint cannot be used, and what to do about it.
public struct EndpointError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: Sendable, Equatable {
        /// There is nothing where a host should be.
        case emptyHost
        /// The text is neither an address nor a name that DNS could know.
        case invalidHostName
        /// Four decimal numbers from 0 to 255 were expected, which RFC 6943 calls the strict form.
        case invalidIPv4Address
        /// RFC 4291's text form was expected.
        case invalidIPv6Address
        /// What follows the per cent sign of an IPv6 address names no interface.
        case invalidZone
        /// A bracket opens and is not closed.
        case unclosedBracket
        /// There is more than one colon outside of brackets.
        case missingBrackets
        case missingPort
        /// The port is no decimal number.
        case invalidPort
        /// The port is above 65535.
        case portOutOfRange
        /// The transport is missing: the text does not begin with a scheme.
        case missingScheme
        /// The scheme is not `tcp`, `udp` or `unix`.
        case unknownScheme
        /// An endpoint without a transport was expected.
        case unexpectedScheme
        /// Something follows, or stands between, that does not belong there.
        case strayCharacters
        /// A per cent sign is not followed by two hexadecimal digits.
        case invalidPercentEncoding
        case emptyUnixName
        /// A Unix socket's path or abstract name has more than 107 bytes.
        case unixNameTooLong
        /// A Unix socket's path has a byte of value 0.
        case unixPathHasNUL
        /// The transport cannot reach that kind of endpoint.
        case transportMismatch
        /// The endpoint is a host's name, which has to be resolved first.
        case unresolvedHost
        /// The machine has no interface of the zone's name.
        case unknownInterface
    }

    public let reason: Reason
    /// What is wrong, and the remedy, in one line.
    public let description: String

    /// - Parameters:
    ///   - text: what is wrong; shown shortened, without control characters.
    ///   - cause: goes on where the text ends: "is not ...".
    init(_ reason: Reason, _ text: some Sequence<UInt8>, _ cause: String, remedy: String) {
        self.reason = reason
        description = "'\(EndpointError.shown(text))' \(cause); \(remedy)"
    }

    private static let longestShownBytes = 120

    private static func shown(_ text: some Sequence<UInt8>) -> String {
        let bytes = Array(text.prefix(longestShownBytes + 1))
        let kept = bytes.prefix(longestShownBytes)
        // The cut may go through the middle of a character; the replacement character is fine here.
        let shown = String(decoding: kept, as: UTF8.self).unicodeScalars.map { scalar in
            let isControl = scalar.properties.generalCategory == .control
            return isControl ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
        return shown.joined() + (bytes.count > kept.count ? "..." : "")
    }
}
