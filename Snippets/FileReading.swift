// Reads a file in pieces, without a thread that blocks on the disk.
import Glibc
import RingDispatch

func readFile(
    _ path: String, on queue: DispatchQueue,
    piece: @escaping @Sendable (DispatchData) -> Void, end: @escaping @Sendable (Int32) -> Void
) {
    // A channel for a path opens the file itself, and closes it after the last operation.
    guard
        let channel = DispatchIO(
            type: .stream, path: path, oflag: O_RDONLY, mode: 0, queue: queue,
            cleanupHandler: { _ in })
    else { return queue.async { end(EINVAL) } }
    channel.setLimit(highWater: 4096)
    channel.read(offset: 0, length: .max, queue: queue) { isDone, data, error in
        if let data, !data.isEmpty { piece(data) }
        if isDone {
            channel.close()
            end(error)
        }
    }
}

// snippet.hide
final class Text: @unchecked Sendable {
    // Safety: only the queue touches `bytes`.
    var bytes: [UInt8] = []
}

var name = Array("/tmp/ring-dispatch-XXXXXX".utf8CString)
let descriptor = mkstemp(&name)
let path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
let contents = (0..<20_000).map { UInt8(truncatingIfNeeded: $0) }
precondition(write(descriptor, contents, contents.count) == contents.count)
close(descriptor)
let queue = DispatchQueue(label: "reading")
let text = Text()
let ended = DispatchSemaphore(value: 0)
readFile(path, on: queue) {
    text.bytes += $0
} end: { error in
    precondition(error == 0)
    ended.signal()
}
precondition(ended.wait(timeout: .now() + 30) == .success)
precondition(queue.sync { text.bytes } == contents)
unlink(path)
print("\(contents.count) bytes")
