internal import CLinux

/// The main queue of libdispatch, in a process that has loaded libdispatch.
///
/// Swift's concurrency runtime loads libdispatch and runs the main actor on this queue; Foundation
/// loads it too, and its run loop serves the queue. Work runs on the main thread; after the main
/// thread has ended (an `async` main), on one libdispatch thread at a time.
package enum LibdispatchMainQueue {
    /// Whether the process has libdispatch. Check this before any other member.
    package static let exists = find()

    /// libdispatch creates the queue's eventfd at first use, and crashes without a message if no
    /// descriptor is free. Create it now, and print a message instead.
    private static func find() -> Bool {
        guard clinux_main_queue_find() else { return false }
        _ = indispensable { () throws(SystemError) in try EventDescriptor() }
        _ = clinux_main_queue_descriptor()
        return true
    }

    /// Whether the caller runs on the queue. True for the main thread from the start.
    package static var isCurrent: Bool { clinux_main_queue_is_current() }

    /// Runs `function` on the queue. `dispatch_async_f`.
    package static func async(
        _ function: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void
    ) {
        clinux_main_queue_async(function)
    }

    /// The eventfd that is readable while the queue has work for the main thread; nil once the main
    /// thread has left the queue to other threads. libdispatch owns it and keeps it open.
    package static var descriptor: Int32? {
        let descriptor = clinux_main_queue_descriptor()
        return descriptor < 0 ? nil : descriptor
    }

    /// Runs all pending work. Only on the main thread.
    /// - Parameter descriptor: the queue's eventfd, which this resets until more work arrives.
    package static func run(clearing descriptor: Int32) {
        EventDescriptor.clear(descriptor)
        clinux_main_queue_run()
    }
}
