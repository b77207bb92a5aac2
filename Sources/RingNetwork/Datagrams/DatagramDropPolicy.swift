/// Which datagrams are dropped when the kernel takes none and the queue is full.
public enum DatagramDropPolicy: Sendable, Hashable {
    /// What is to be sent.
    case newest
    /// What waits longest: for what is worth nothing once something newer is there.
    case oldest
}
