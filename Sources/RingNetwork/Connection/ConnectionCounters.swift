/// What a connection has done so far.
struct ConnectionCounters {
    var receives: UInt64 = 0
    var bytesReceived: UInt64 = 0
    var sends: UInt64 = 0
    var bytesSent: UInt64 = 0
}
