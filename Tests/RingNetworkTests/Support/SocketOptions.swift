import Glibc

/// Limits how long calls on a plain socket may block.
func limitWaits(on descriptor: Int32) {
    var limit = timeval(tv_sec: Patience.seconds, tv_usec: 0)
    let length = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, length)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, length)
}

/// setsockopt(2) for a number.
func setSocketOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
}

/// getsockopt(2) for a number; nil where the socket has no such option.
func socketOption(_ descriptor: Int32, _ level: Int, _ name: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, Int32(level), name, &value, &length) == 0 ? value : nil
}
