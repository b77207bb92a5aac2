internal import CLinux
internal import Glibc

/// A socket, pipe, terminal or similar descriptor, read and written without blocking and without
/// raising SIGPIPE.
package struct StreamDescriptor: Sendable {
    package let number: Int32
    /// How calls avoid blocking. Changes from `noWait` to O_NONBLOCK if the kernel requires it.
    package private(set) var mode: Mode

    package enum Mode: Sendable {
        /// A flag of the calls (MSG_DONTWAIT).
        case socket
        /// A flag of the calls (RWF_NOWAIT).
        case noWait
        /// O_NONBLOCK, set by the program.
        case nonBlocking
        /// O_NONBLOCK, set for the time of use: visible to all who share the open file description.
        case nonBlockingForNow
    }

    package init(number: Int32, isSocket: Bool) {
        self.number = number
        mode = isSocket ? .socket : .noWait
    }

    /// Clears O_NONBLOCK, if it was set here.
    package func restore() {
        if mode == .nonBlockingForNow { Descriptors.setNonBlocking(number, false) }
    }

    /// Sets O_NONBLOCK, after the kernel has rejected RWF_NOWAIT. Before each further call again:
    /// another user of the open file description may have cleared it.
    package mutating func setNonBlocking() {
        guard let wasSet = Descriptors.setNonBlocking(number) else { return }
        if !wasSet { mode = .nonBlockingForNow } else if mode == .noWait { mode = .nonBlocking }
    }

    /// Result of a call that requires `setNonBlocking` first.
    package static let needsNonBlocking = -Int(EOPNOTSUPP)

    /// Reads available bytes. Returns the count, 0 at the end, or a negated errno.
    package mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let result: Int
            switch mode {
            case .socket: return clinux_receive(number, buffer.baseAddress, buffer.count)
            case .noWait: result = clinux_read_nowait(number, buffer.baseAddress, buffer.count, -1)
            case .nonBlocking, .nonBlockingForNow:
                setNonBlocking()
                result = Glibc.read(number, buffer.baseAddress, buffer.count)
            }
            if result >= 0 { return result }
            if errno != EINTR { return outcome(of: errno) }
        }
    }

    /// Writes as much as there is room for, at most `limit` bytes. Returns the count, or a negated
    /// errno (EPIPE if there is no reader).
    /// - Parameter blocksSignals: whether the calling thread has SIGPIPE blocked.
    package mutating func write(
        _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>, limit: Int, blocksSignals: Bool
    ) -> Int {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: max(1, pieces.count)) { list in
            guard let start = list.baseAddress else { return 0 }
            let count = GatherList.fill(start, pieces, limit)
            if mode == .socket { return Sockets.send(number, start, count) }
            if mode != .noWait { setNonBlocking() }
            if blocksSignals { return writeQuietly(start, count) }
            return PipeSignal.blocked { writeQuietly(start, count) }
        }
    }

    /// The thread must have SIGPIPE blocked.
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
        // ENOSYS: the kernel does not support the flag, so O_NONBLOCK is needed.
        if mode == .noWait && code == ENOSYS { return StreamDescriptor.needsNonBlocking }
        return -Int(code)
    }
}
