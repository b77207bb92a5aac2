internal import CLinux
internal import Glibc

/// A socket, pipe, terminal or the like, read and written without ever blocking and without a
/// SIGPIPE for the process.
package struct StreamDescriptor: Sendable {
    package let number: Int32
    /// How the calls are kept from blocking. Changes to `nonBlocking` once, where the kernel cannot
    /// do without.
    package private(set) var mode: Mode

    package enum Mode: Sendable {
        /// By the calls' flags (MSG_DONTWAIT).
        case socket
        /// By the calls' flags (RWF_NOWAIT).
        case noWait
        /// By O_NONBLOCK, which the program has set.
        case nonBlocking
        /// By O_NONBLOCK, which is set for the time of the use: all that share the open file
        /// description see it.
        case nonBlockingForNow
    }

    package init(number: Int32, isSocket: Bool) {
        self.number = number
        let flags = fcntl(number, F_GETFL)
        if isSocket {
            mode = .socket
        } else {
            mode = flags >= 0 && flags & O_NONBLOCK != 0 ? .nonBlocking : .noWait
        }
    }

    /// Takes O_NONBLOCK back, if it was set here.
    package func restore() {
        guard mode == .nonBlockingForNow else { return }
        let flags = fcntl(number, F_GETFL)
        if flags >= 0 { _ = fcntl(number, F_SETFL, flags & ~O_NONBLOCK) }
    }

    /// What follows when the kernel answered that it cannot do without O_NONBLOCK.
    package mutating func setNonBlocking() {
        let flags = fcntl(number, F_GETFL)
        guard flags >= 0 else { return }
        mode = flags & O_NONBLOCK != 0 ? .nonBlocking : .nonBlockingForNow
        if mode == .nonBlockingForNow { _ = fcntl(number, F_SETFL, flags | O_NONBLOCK) }
    }

    /// The result of a call that needs `setNonBlocking` first.
    package static let needsNonBlocking = -Int(EOPNOTSUPP)
    /// The result of a call that would have to wait.
    package static let wouldBlock = -Int(EAGAIN)

    /// Reads what is there: the count of bytes, 0 at the end, or a negated errno.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let result: Int
            switch mode {
            case .socket: return clinux_receive(number, buffer.baseAddress, buffer.count)
            case .noWait: result = clinux_read_nowait(number, buffer.baseAddress, buffer.count)
            case .nonBlocking, .nonBlockingForNow:
                result = Glibc.read(number, buffer.baseAddress, buffer.count)
            }
            if result >= 0 { return result }
            if errno != EINTR { return outcome(of: errno) }
        }
    }

    /// Writes as much as there is room for, at most `limit` bytes: the count, or a negated errno
    /// (EPIPE when nobody will read).
    /// - Parameter blocksSignals: whether the calling thread has SIGPIPE blocked.
    package func write(
        _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>, limit: Int, blocksSignals: Bool
    ) -> Int {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: max(1, pieces.count)) { list in
            guard let start = list.baseAddress else { return 0 }
            let (count, _) = GatherList.fill(start, pieces, limit)
            if mode == .socket { return Sockets.send(number, start, count) }
            if blocksSignals { return writeQuietly(start, count) }
            return PipeSignal.blocked { writeQuietly(start, count) }
        }
    }

    /// Safety: the thread has SIGPIPE blocked.
    private func writeQuietly(_ list: UnsafeMutablePointer<iovec>, _ count: Int32) -> Int {
        while true {
            let result =
                mode == .noWait
                ? clinux_write_nowait(number, list, count) : writev(number, list, count)
            if result >= 0 { return result }
            if errno == EPIPE { return PipeSignal.consume(-Int(EPIPE)) }
            if errno != EINTR { return outcome(of: errno) }
        }
    }

    private func outcome(of code: Int32) -> Int {
        // ENOSYS: a kernel without the flags; the answer to both is O_NONBLOCK.
        if mode == .noWait && code == ENOSYS { return StreamDescriptor.needsNonBlocking }
        return -Int(code)
    }
}
