internal import CLinux
internal import Glibc

/// A timerfd_create(2) descriptor that becomes readable when CLOCK_REALTIME is set.
package final class StepDescriptor: Sendable {
    /// Opened at the start of the runtime, while descriptors are free.
    package static let shared = indispensable { () throws(SystemError) in try StepDescriptor() }

    private let descriptor: OwnedDescriptor

    package init() throws(SystemError) {
        descriptor = OwnedDescriptor(
            adopting: try checked("timerfd_create") {
                timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
            })
        clinux_await_clock_step(number)
    }

    package var number: Int32 { descriptor.number }

    /// Consumes the notification, and rearms the timer for the next change.
    package func takeStep() {
        var count: UInt64 = 0
        // Fails with ECANCELED, which means that the clock was set.
        _ = read(number, &count, 8)
        clinux_await_clock_step(number)
    }
}
