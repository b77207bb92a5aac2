/// Where in its life a connection is.
public enum ConnectionState: Sendable, Hashable {
    /// Not activated.
    case setup
    /// Bytes go to and fro.
    case active
    /// To be closed once all that was sent is with the kernel.
    case closing
    /// The descriptor is closed.
    case closed
}
