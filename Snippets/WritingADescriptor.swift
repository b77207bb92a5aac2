// Writes more bytes than a descriptor accepts at once, as it becomes writable.
import Glibc
import RingDispatch

final class Sender: @unchecked Sendable {
    // Safety: only the source's handlers touch `rest`.
    private let source: any DispatchSourceWrite
    private var rest: ArraySlice<UInt8>

    /// Closes the descriptor after the last byte, or when the reader has closed its end.
    init(_ bytes: [UInt8], to descriptor: Int32, onEnd: @escaping @Sendable (Bool) -> Void) {
        rest = bytes[...]
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        source = DispatchSource.makeWriteSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "sender"))
        source.setEventHandler { [unowned self] in
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) }
            let canContinue = count >= 0 || errno == EAGAIN || errno == EINTR
            // The source fires as long as there is room: cancel it after the last byte.
            if rest.isEmpty || !canContinue { source.cancel() }
        }
        source.setCancelHandler { [unowned self] in
            close(descriptor)
            onEnd(rest.isEmpty)
        }
        source.activate()
    }
}

// snippet.hide
signal(SIGPIPE, SIG_IGN)
var pair: [Int32] = [-1, -1]
precondition(pipe(&pair) == 0)
let message = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
let sent = DispatchSemaphore(value: 0)
let sender = Sender(message, to: pair[1]) { isComplete in
    precondition(isComplete)
    sent.signal()
}
var received: [UInt8] = []
var buffer = [UInt8](repeating: 0, count: 4096)
while case let count = read(pair[0], &buffer, buffer.count), count > 0 {
    received += buffer[..<count]
}
precondition(sent.wait(timeout: .now() + 30) == .success)
precondition(received == message)
print("\(received.count) bytes went through a pipe")
withExtendedLifetime(sender) {}
