/// One line, again and again. The server has to answer each with one line, whatever it contains.
final class LineExchange: Exchange, @unchecked Sendable {
    // Safety: see the base class.
    private let line: [UInt8]
    /// Bytes of a line whose end has not arrived.
    @exclusivity(unchecked) private var received = 0

    init(_ line: String) {
        self.line = Array("\(line)\n".utf8)
    }

    override var partialBytes: Int { received }

    override func write(into buffer: MessageBuffer) {
        buffer.append(line)
        writtenCount &+= 1
    }

    override func check(_ bytes: UnsafeRawBufferPointer) -> Finding? {
        var rest = bytes
        while !rest.isEmpty {
            guard answeredCount != writtenCount else {
                return Finding(.mismatch, "received more lines than were sent")
            }
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
                received += rest.count
                return nil
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
            received = 0
            answeredCount &+= 1
        }
        return nil
    }
}
