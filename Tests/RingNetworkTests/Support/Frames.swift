import RingNetwork

/// The frames of a stream that ends after the last one.
/// - Parameter pieces: the number of bytes per piece; nil: one piece.
func allFrames(
    of stream: [UInt8], by framing: some Framing, pieces: Int? = nil
) throws -> [[UInt8]] {
    var reader = FrameReader(framing)
    var frames: [[UInt8]] = []
    var rest = stream[...]
    while !rest.isEmpty {
        let piece = rest.prefix(pieces ?? rest.count)
        rest = rest.dropFirst(piece.count)
        try piece.withUnsafeBytes { bytes in
            try reader.receive(bytes) { frames.append(Array($0)) }
        }
    }
    try reader.finish()
    return frames
}

func allFrames(
    of stream: String, by framing: some Framing, pieces: Int? = nil
) throws -> [[UInt8]] {
    try allFrames(of: Array(stream.utf8), by: framing, pieces: pieces)
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

extension [UInt8] {
    /// For array literals, which would otherwise be of type Int.
    func withUnsafeByteArray<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withUnsafeBytes(body)
    }
}
