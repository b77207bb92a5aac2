package import LinuxPlatform

/// Reads one inotify instance on the event loops. The file-system sources of a process share a
/// reader, and each watcher of FileWatching has one: a flood in a tree overflows no other queue.
package final class InotifyReader: DescriptorWatch, @unchecked Sendable {
    // Safety: `buffer` and `isPaused` belong to the queue; the rest is constant.
    package typealias Handler = @Sendable (InotifyReader, _ emptiedAtNanoseconds: UInt64?) -> Void

    package let inotify: any Inotify
    /// The events that the handler is called for.
    package let buffer = InotifyEventBuffer()
    private let handler: Handler
    /// Tests stop the reading, so that the kernel's queue fills.
    package var isPaused = false

    /// Reads of the kernel's queue before the reader yields the thread.
    private static let readsInARow = 16

    /// - Parameter handler: called on the queue for each filled buffer, and if there is nothing to
    ///   read, with a time at which the kernel's queue was empty, except for these events; nil if
    ///   that is unknown.
    package init(_ inotify: any Inotify, queue: DispatchQueue, handler: @escaping Handler) {
        self.inotify = inotify
        self.handler = handler
        super.init(descriptor: inotify.descriptor, queue: queue, events: PollEvents.readable)
    }

    /// Begins to read. On failure, closes the instance.
    package func start() throws(SystemError) {
        let code = begin()
        guard code != 0 else { return }
        inotify.close()
        throw SystemError(call: "epoll_ctl", code: code)
    }

    override func ready(_ events: UInt32, _ context: Context) -> Bool { read() }

    /// Reads now, on the queue. Returns whether there may be more.
    @discardableResult
    package func read() -> Bool {
        for _ in 0..<InotifyReader.readsInARow {
            guard isWatching, !isPaused else { return false }
            let start = MonotonicClock.nanoseconds()
            buffer.read(from: inotify.descriptor)
            let tookAll = buffer.tookAll
            handler(self, tookAll ? start : nil)
            if tookAll { return false }
        }
        return true
    }

    /// Ends the reading and closes the instance. On the queue.
    package func close() {
        end()
        inotify.close()
    }
}
