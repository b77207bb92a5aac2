internal import Glibc

/// Creates the loops' back ends: io_uring where it works, epoll where it is refused.
package struct BackendFactory: Sendable {
    package var kind: BackendKind { doorbell == nil ? .epoll : .ioUring }
    /// Why this back end was chosen, for the log.
    package let reason: String
    private let doorbell: Doorbell?

    /// The user's choice in RINGDISPATCH_BACKEND.
    package enum Preference: String, Sendable, CaseIterable {
        case auto
        case ioUring = "io_uring"
        case epoll
    }

    /// - Throws: if io_uring was requested and is refused.
    package init(preference: Preference) throws(SystemError) {
        if preference == .epoll {
            self.init(reason: "as requested", doorbell: nil)
            return
        }
        do throws(SystemError) {
            let doorbell = try UringProbe.doorbell()
            let reason = preference == .ioUring ? "as requested" : "the kernel allows it"
            self.init(reason: reason, doorbell: doorbell)
        } catch {
            if preference == .ioUring { throw error }
            self = .epoll(because: error)
        }
    }

    /// epoll, because io_uring failed.
    package static func epoll(because error: SystemError) -> BackendFactory {
        BackendFactory(reason: error.description, doorbell: nil)
    }

    private init(reason: String, doorbell: Doorbell?) {
        self.reason = reason
        self.doorbell = doorbell
    }

    package func makeBackend(
        _ settings: BackendSettings = BackendSettings()
    ) throws(SystemError) -> IOBackend {
        guard let doorbell else { return try EpollBackend(settings: settings) }
        return try UringBackend(doorbell: doorbell, settings: settings)
    }
}
