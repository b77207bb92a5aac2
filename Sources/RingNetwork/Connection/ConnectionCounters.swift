/// A connection's counters since it was made. Any thread may read them.
struct ConnectionCounters: ~Copyable, Sendable {
    let receives = Counter()
    let bytesReceived = Counter()
    let sends = Counter()
    let bytesSent = Counter()
    /// Sent bytes that the kernel has not taken yet, as of the last change.
    let unsent = Counter()
}
