import Glibc

#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif

/// One client: a serial queue and a read source. The source's handlers retain it until the source
/// is cancelled.
final class Connection: @unchecked Sendable {
    private static let bufferBytes = 4096
    private let descriptor: Int32
    private let block: Block
    private let source: any DispatchSourceRead
    private let buffer = UnsafeMutableRawPointer.allocate(byteCount: bufferBytes, alignment: 64)

    init(descriptor: Int32, number: Int, block: Block) {
        self.descriptor = descriptor
        self.block = block
        let queue = DispatchQueue(label: "blocking-echo.connection.\(number)")
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { self.receive() }
        source.setCancelHandler { _ = close(self.descriptor) }
        source.activate()
    }

    deinit {
        buffer.deallocate()
    }

    private func receive() {
        let count = recv(descriptor, buffer, Self.bufferBytes, 0)
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        if count > 0 {
            block.run()
        }
        if count <= 0 || !sendAll(count) {
            source.cancel()
        }
    }

    /// Blocks while the socket is full, which suffices for short messages.
    private func sendAll(_ count: Int) -> Bool {
        var start = 0
        while start < count {
            let sent = send(descriptor, buffer + start, count - start, Int32(MSG_NOSIGNAL))
            if sent >= 0 {
                start += sent
            } else if errno == EAGAIN {
                var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&writable, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
