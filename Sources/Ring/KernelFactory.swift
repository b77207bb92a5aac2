internal import Glibc

/// Makes the lanes' kernels: io_uring where it works, epoll where it is refused.
package struct KernelFactory: Sendable {
    package let backend: Backend
    /// Why this back end was chosen, for the log.
    package let reason: String
    private let doorbell: Doorbell?

    /// What the user asked for by RINGDISPATCH_BACKEND.
    package enum Preference: String, Sendable, CaseIterable {
        case auto
        case ioUring = "io_uring"
        case epoll
    }

    /// - Throws: a forced io_uring was refused.
    package init(preference: Preference) throws(KernelError) {
        if preference == .epoll {
            self.init(backend: .epoll, reason: "RINGDISPATCH_BACKEND=epoll", doorbell: nil)
            return
        }
        if let refusal = UringProbe.refusal() {
            if preference == .ioUring { throw refusal }
            self.init(backend: .epoll, reason: refusal.description, doorbell: nil)
            return
        }
        let reason =
            preference == .ioUring ? "RINGDISPATCH_BACKEND=io_uring" : "the kernel allows it"
        self.init(backend: .ioUring, reason: reason, doorbell: try Doorbell())
    }

    private init(backend: Backend, reason: String, doorbell: Doorbell?) {
        self.backend = backend
        self.reason = reason
        self.doorbell = doorbell
    }

    package func makeKernel(
        _ settings: KernelSettings = KernelSettings()
    ) throws(KernelError) -> Kernel {
        guard let doorbell else { return try EpollKernel(settings: settings) }
        return switch settings.streams {
        case .readiness: try UringReadinessKernel(doorbell: doorbell, settings: settings)
        case .multishot: try UringKernel(doorbell: doorbell, settings: settings)
        }
    }
}
