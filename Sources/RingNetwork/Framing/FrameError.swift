/// Why bytes cannot be taken apart into frames, or a payload cannot be written as one.
///
/// A reader that has thrown one of these has lost its place in the stream: close the connection.
public enum FrameError: Error, Sendable, Equatable {
    /// The payload has more bytes than the framing allows, whether it came or is to be written.
    case tooLong(limit: Int)
    /// A length that counts itself is shorter than its own field.
    case invalidLength(UInt64)
    /// The stream ended within a frame, of which so many bytes had come.
    case endInsideFrame(byteCount: Int)
    /// A payload to be written contains what ends a frame, and would be read as two.
    case delimiterInPayload(offset: Int)
    /// A payload to be written has another length than all frames have.
    case wrongLength(Int, expected: Int)
}

extension FrameError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong(let limit):
            "a frame is longer than \(limit) bytes; close the connection, or raise the framing's "
                + "maximumLength if the peer may send that much"
        case .invalidLength(let length):
            "a frame's length is \(length), less than its own field takes; the peer counts "
                + "lengths without the field, or speaks another protocol"
        case .endInsideFrame(let byteCount):
            "the stream ended after \(byteCount) bytes of a frame; the peer died, or did not end "
                + "its last frame"
        case .delimiterInPayload(let offset):
            "the payload has the delimiter at byte \(offset); escape it, or send lengths instead"
        case .wrongLength(let length, let expected):
            "the payload has \(length) bytes; each frame has \(expected)"
        }
    }
}
