#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif
import Glibc

/// One client. All methods run on the connection's own serial queue.
final class Connection: @unchecked Sendable {
    private static let bufferSize = 4096  // bytes
    private let descriptor: Int32
    private let queue: DispatchQueue
    private let reader: any DispatchSourceRead
    private var writer: (any DispatchSourceWrite)?  // created at the first short send
    private let buffer = UnsafeMutableRawPointer.allocate(byteCount: bufferSize, alignment: 64)
    private var unsent = 0..<0
    private var isWaitingForRoom = false  // true: the reader is suspended; false: the writer
    private var liveSources = 1

    init(descriptor: Int32, number: Int) {
        self.descriptor = descriptor
        queue = DispatchQueue(label: "gcd-echo.connection.\(number)")
        reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        reader.setEventHandler { self.receive() }
        reader.setCancelHandler { self.sourceEnded() }
        reader.activate()
    }

    deinit { buffer.deallocate() }

    private func receive() {
        for _ in 0..<16 {  // limits one handler's share; the source fires again for the rest
            let count = recv(descriptor, buffer, Self.bufferSize, 0)
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            guard count > 0 else { return stop() }
            unsent = 0..<count
            guard flush() else { return }
            if count < Self.bufferSize { return }
        }
    }

    /// Sends the rest of the buffer. False: the socket is full, or the connection has failed.
    private func flush() -> Bool {
        while !unsent.isEmpty {
            let start = unsent.lowerBound
            let sent = send(descriptor, buffer + start, unsent.count, noSignal)
            if sent >= 0 {
                unsent = start + sent..<unsent.upperBound
            } else if errno != EINTR {
                if errno == EAGAIN { waitForRoom() } else { stop() }
                return false
            }
        }
        return true
    }

    private func waitForRoom() {
        guard !isWaitingForRoom else { return }
        isWaitingForRoom = true
        reader.suspend()
        if let writer { return writer.resume() }
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { self.writable() }
        source.setCancelHandler { self.sourceEnded() }
        liveSources += 1
        writer = source
        source.activate()
    }

    private func writable() {
        guard isWaitingForRoom, flush() else { return }
        isWaitingForRoom = false
        writer?.suspend()
        reader.resume()
    }

    private func stop() {
        guard !reader.isCancelled else { return }
        reader.cancel()
        writer?.cancel()
        // GCD calls no cancel handler while a source is suspended.
        if isWaitingForRoom { reader.resume() } else { writer?.resume() }
    }

    private func sourceEnded() {
        liveSources -= 1
        if liveSources == 0 { close(descriptor) }
    }
}
