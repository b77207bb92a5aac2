/// Why bytes cannot be split into frames, or a payload cannot be written as one.
///
/// A reader that has thrown one has lost its place in the stream: close the connection.
public enum FrameError: Error, Sendable, Equatable {
    /// A received or written payload is longer than the framing allows.
    case tooLong(limit: Int)
    /// The length includes its own field, and is less than that.
    case invalidLength(UInt64)
    /// The stream ended inside a frame, after `byteCount` of its bytes.
    case endInsideFrame(byteCount: Int)
    /// A written payload contains the delimiter, and would be read as two frames.
    case delimiterInPayload(offset: Int)
    /// A written payload does not have the fixed length.
    case wrongLength(Int, expected: Int)
}

extension FrameError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong(let limit):
            "a frame is longer than \(limit) bytes; close the connection, or raise the framing's "
                + "maximumLength if the peer may send that much"
        case .invalidLength(let length):
            "a frame's length is \(length), less than the size of its length field; the "
                + "peer does not count the field, or speaks another protocol"
        case .endInsideFrame(let byteCount):
            "the stream ended after \(byteCount) bytes of a frame; the peer crashed, or did not "
                + "complete its last frame"
        case .delimiterInPayload(let offset):
            "the payload contains the delimiter at byte \(offset); escape it, or prefix lengths"
        case .wrongLength(let length, let expected):
            "the payload has \(length) bytes; each frame has \(expected)"
        }
    }
}
