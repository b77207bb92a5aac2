/// The transport between two endpoints.
public enum Transport: String, Sendable, Hashable, CaseIterable {
    /// A stream over IP. tcp(7).
    case tcp
    /// Datagrams over IP. udp(7).
    case udp
    /// A stream within the machine. unix(7).
    case unix
}
