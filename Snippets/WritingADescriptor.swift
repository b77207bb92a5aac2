// More bytes than a descriptor takes at once, written as it takes them.
import Glibc
import RingDispatch

final class Sender: @unchecked Sendable {
    // Safety: `rest` is touched by the source's handlers only.
    private let source: any DispatchSourceWrite
    private var rest: ArraySlice<UInt8>

    /// Closes the descriptor when all is written, or the reader has gone.
    init(_ bytes: [UInt8], to descriptor: Int32, onEnd: @escaping @Sendable (Bool) -> Void) {
        rest = bytes[...]
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        source = DispatchSource.makeWriteSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "sender"))
        source.setEventHandler { [unowned self] in
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) }
            let mayGoOn = count >= 0 || errno == EAGAIN || errno == EINTR
            // As long as there is room, the handler is called again: end it with the bytes.
            if rest.isEmpty || !mayGoOn { source.cancel() }
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
