/// A connection's counters since it was made.
struct ConnectionCounters {
    var receives: UInt64 = 0
    var bytesReceived: UInt64 = 0
    var sends: UInt64 = 0
    var bytesSent: UInt64 = 0
}
