internal import CLinux
internal import Glibc

/// eventfd(2): becomes readable after a write, which is allowed in a signal handler.
package struct EventDescriptor: ~Copyable {
    private let descriptor: OwnedDescriptor

    package init() throws(SystemError) {
        descriptor = OwnedDescriptor(
            adopting: try checked("eventfd") {
                eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
            })
    }

    package var number: Int32 { descriptor.number }

    /// Makes the descriptor readable. From any thread.
    package func signal() {
        var one: UInt64 = 1
        // EAGAIN: it is readable already.
        requireOpen("write", write(descriptor.number, &one, 8))
    }

    /// Makes the descriptor unreadable until the next write.
    package func clear() { Self.clear(descriptor.number) }

    /// The same for an eventfd that belongs to other code, or a timerfd.
    static func clear(_ descriptor: Int32) {
        var count: UInt64 = 0
        var result: Int
        repeat { result = read(descriptor, &count, 8) } while result < 0 && errno == EINTR
        requireOpen("read", result)
    }
}
