internal import CLinux

/// libdispatch's main queue, in a process that has libdispatch.
///
/// Swift's concurrency brings it along, and runs the main actor on that queue; so does Foundation,
/// whose run loop serves it. What runs there is on the main thread, or on one thread at a time of
/// libdispatch's after the main thread has ended (an `async` main).
package enum LibdispatchMainQueue {
    /// Whether there is one. All else is for those who asked.
    package static let exists = find()

    /// libdispatch makes the queue's eventfd when something first needs it, and where descriptors
    /// have run out it ends the process without a word. So it is made at the start, with words.
    private static func find() -> Bool {
        guard clinux_main_queue_find() else { return false }
        do throws(SystemError) {
            _ = try EventDescriptor()
        } catch {
            fatalSystemError(error)
        }
        _ = clinux_main_queue_descriptor()
        return true
    }

    /// Whether the caller runs on it. The main thread does from the start.
    package static var isCurrent: Bool { clinux_main_queue_is_current() }

    /// Has the queue run `function`. `dispatch_async_f`.
    package static func async(
        _ function: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void
    ) {
        clinux_main_queue_async(function)
    }

    /// Becomes readable when the queue has work for the main thread; nil when the main thread has
    /// left it to other threads. It belongs to libdispatch, and stays open.
    package static var descriptor: Int32? {
        let descriptor = clinux_main_queue_descriptor()
        return descriptor < 0 ? nil : descriptor
    }

    /// Runs all that waits there. For the main thread.
    /// - Parameter descriptor: is not readable any more afterwards, until more work comes.
    package static func run(clearing descriptor: Int32) {
        EventDescriptor.clear(descriptor)
        clinux_main_queue_run()
    }
}
