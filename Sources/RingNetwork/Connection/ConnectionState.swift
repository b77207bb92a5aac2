/// The state of a connection.
public enum ConnectionState: Sendable, Hashable {
    /// Not activated.
    case setup
    /// Sends and receives.
    case active
    /// Will close once the kernel has taken all sent bytes.
    case closing
    /// The descriptor is closed.
    case closed
}
