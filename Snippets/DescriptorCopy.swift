// Copies one descriptor to another with DispatchIO.
import Glibc
import RingDispatch

func copy(
    from source: Int32, to destination: Int32, on queue: DispatchQueue,
    completion: @escaping @Sendable () -> Void
) {
    let input = DispatchIO(
        type: .stream, fileDescriptor: source, queue: queue, cleanupHandler: { _ in close(source) })
    let output = DispatchIO(
        type: .stream, fileDescriptor: destination, queue: queue,
        cleanupHandler: { _ in
            close(destination)
            completion()
        })
    // Deliver data as it arrives, instead of collecting more first.
    input.setLimit(lowWater: 1)
    input.read(offset: 0, length: .max, queue: queue) { isDone, data, error in
        if let data, !data.isEmpty {
            output.write(offset: 0, data: data, queue: queue) { _, _, _ in }
        }
        if isDone {
            input.close()
            // Pending writes are still completed: only `.stop` would cancel them.
            output.close()
        }
    }
}

// snippet.hide
func makePipe() -> (reader: Int32, writer: Int32) {
    var pair: [Int32] = [-1, -1]
    precondition(pipe(&pair) == 0)
    return (pair[0], pair[1])
}

let (first, second) = (makePipe(), makePipe())
let copied = DispatchSemaphore(value: 0)
copy(from: first.reader, to: second.writer, on: DispatchQueue(label: "copy")) { copied.signal() }
for word in ["one ", "two ", "three"] { _ = write(first.writer, word, word.utf8.count) }
close(first.writer)
precondition(copied.wait(timeout: .now() + 30) == .success)
var buffer = [UInt8](repeating: 0, count: 100)
let count = read(second.reader, &buffer, buffer.count)
precondition(String(decoding: buffer[..<count], as: UTF8.self) == "one two three")
print("copied \(count) bytes")
