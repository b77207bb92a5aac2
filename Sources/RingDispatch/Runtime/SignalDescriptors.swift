internal import LinuxPlatform

/// The descriptors that signals arrive at.
final class SignalDescriptors: Sendable {
    /// For the signal sources, which then cannot fail.
    static let shared = indispensable { () throws(SystemError) in try SignalDescriptors() }

    /// Signal handlers write to it. Never closed, because a handler may be running at any time.
    let wake: EventDescriptor
    /// For signals that all threads block.
    let blocked: SignalDescriptor

    private init() throws(SystemError) {
        wake = try EventDescriptor()
        blocked = try SignalDescriptor()
    }
}
