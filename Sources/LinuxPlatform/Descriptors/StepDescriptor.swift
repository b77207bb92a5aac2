internal import CLinux
internal import Glibc

/// A timerfd_create(2) descriptor that becomes readable when CLOCK_REALTIME is set.
package final class StepDescriptor: Sendable {
    private let descriptor: OwnedDescriptor

    package init() throws(SystemError) {
        let number = clinux_clock_step_descriptor()
        guard number >= 0 else { throw SystemError(opening: "timerfd_create", code: -number) }
        descriptor = OwnedDescriptor(adopting: number)
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
