internal import CLinux
internal import Glibc

/// signalfd(2): dequeues signals that every thread blocks.
package struct SignalDescriptor: ~Copyable {
    private let descriptor: OwnedDescriptor

    /// Starts with no signals.
    package init() throws(SystemError) {
        var none = sigset_t()
        sigemptyset(&none)
        descriptor = OwnedDescriptor(
            adopting: try checked("signalfd") {
                signalfd(-1, &none, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
            })
    }

    package var number: Int32 { descriptor.number }

    /// Replaces the set of signals. Signals that are pending already are reported as well.
    package func set(_ numbers: some Sequence<Int32>) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        _ = signalfd(descriptor.number, &set, 0)
    }

    /// Dequeues all pending signals, and passes each one's number to `body`.
    package func read(_ body: (Int32) -> Void) {
        withUnsafeTemporaryAllocation(of: signalfd_siginfo.self, capacity: 16) { buffer in
            let size = MemoryLayout<signalfd_siginfo>.stride
            while true {
                let length = Glibc.read(
                    descriptor.number, buffer.baseAddress, buffer.count * size)
                if length < 0 && errno == EINTR { continue }
                guard length > 0 else { return }
                for index in 0..<length / size { body(Int32(buffer[index].ssi_signo)) }
            }
        }
    }
}
