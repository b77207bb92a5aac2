package import LinuxPlatform

/// Reads one inotify instance on the event loops. The file-system sources of a process share a
/// reader, and so do the watchers of FileWatching: a flood in a tree does not overflow the queue of
/// the sources.
package final class InotifyReader: DescriptorWatch, @unchecked Sendable {
    // Safety: `buffer` and `isPaused` belong to the queue; the rest is constant.
    package typealias Handler = @Sendable (InotifyReader, _ emptiedAtNanoseconds: UInt64?) -> Void

    package let inotify: any Inotify
    /// The events that the handler is called for.
    package let buffer = InotifyEventBuffer()
    private let handler: Handler
    package private(set) var isPaused = false

    /// Reads of the kernel's queue before the reader yields the thread.
    private static let readsInARow = 16

    /// - Parameter handler: called on the queue for each filled buffer, with a time at which the
    ///   kernel's queue was empty, except for these events; nil if that is unknown.
    package init(_ inotify: any Inotify, queue: DispatchQueue, handler: @escaping Handler) {
        self.inotify = inotify
        self.handler = handler
        super.init(descriptor: inotify.descriptor, queue: queue, events: PollEvents.readable)
    }

    override func ready(_ events: UInt32, _ context: Context) -> Bool {
        for _ in 0..<InotifyReader.readsInARow {
            guard isWatching, !isPaused else { return false }
            let start = MonotonicClock.nanoseconds()
            guard buffer.read(from: inotify.descriptor) else { return false }
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

    /// Stops reading so that the kernel's queue fills, for tests of its overflow.
    package func pause() { queue.sync { isPaused = true } }

    package func resume() {
        queue.sync {
            isPaused = false
            callReady()
        }
    }
}
