internal import CLinux
internal import Glibc

/// A timerfd_create(2) descriptor on CLOCK_MONOTONIC. One thread waits for it; any thread may start
/// and stop it, which does not wake the waiting thread.
package struct TimerDescriptor: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    package init() throws(SystemError) {
        descriptor = OwnedDescriptor(
            adopting: try checked("timerfd_create") {
                timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC))
            })
    }

    /// Expires after each period from now on; 0: never.
    package func set(periodNanoseconds: UInt64) {
        requireOpen(
            "timerfd_settime", Int(clinux_set_timer(descriptor.number, periodNanoseconds)))
    }

    /// Blocks until the timer has expired since the last wait.
    package func wait() {
        EventDescriptor.clear(descriptor.number)
    }
}
