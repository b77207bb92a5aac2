// Reads a descriptor whenever data arrives, without a thread that waits for it.
import Glibc
import RingDispatch

final class LineReader: @unchecked Sendable {
    // Safety: only the source's handlers touch `rest`.
    private let source: any DispatchSourceRead
    private var rest: [UInt8] = []

    /// Closes the descriptor at the end of the stream.
    init(
        _ descriptor: Int32, onLine: @escaping @Sendable (String) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) {
        // A read must never block the handler.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "lines"))
        source.setEventHandler { [unowned self] in
            // `data` is an estimate; 0 means the end of the stream.
            var buffer = [UInt8](repeating: 0, count: max(Int(source.data), 1))
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
            guard count > 0 else { return source.cancel() }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                onLine(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
        }
        // The source no longer uses the descriptor: here it is safe to close it.
        source.setCancelHandler {
            close(descriptor)
            onEnd()
        }
        source.activate()
    }
}

// snippet.hide
var pair: [Int32] = [-1, -1]
precondition(pipe(&pair) == 0)
let ended = DispatchSemaphore(value: 0)
let lines = DispatchSemaphore(value: 0)
let reader = LineReader(pair[0]) { line in
    precondition(["first", "second"].contains(line))
    print("line:", line)
    lines.signal()
} onEnd: {
    ended.signal()
}
for piece in ["fir", "st\nsec", "ond\n"] { _ = write(pair[1], piece, piece.utf8.count) }
close(pair[1])
precondition(ended.wait(timeout: .now() + 30) == .success)
for _ in 0..<2 { precondition(lines.wait(timeout: .now()) == .success) }
withExtendedLifetime(reader) {}
