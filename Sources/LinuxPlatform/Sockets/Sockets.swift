internal import CLinux
internal import Glibc

/// Calls on stream sockets that never block and never raise SIGPIPE.
package enum Sockets {
    /// Returns the number of bytes that the kernel took, or a negated errno (`wouldBlock`: no
    /// room).
    @inline(__always)
    package static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        clinux_send(descriptor, bytes.baseAddress, bytes.count)
    }

    /// The same for several pieces (sendmsg(2)).
    package static func send(
        _ descriptor: Int32, _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>
    ) -> Int {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: max(1, pieces.count)) { list in
            guard let start = list.baseAddress else { return 0 }
            return send(descriptor, start, GatherList.fill(start, pieces, .max))
        }
    }

    static func send(
        _ descriptor: Int32, _ list: UnsafeMutablePointer<iovec>, _ count: Int32
    ) -> Int {
        if count == 1 {
            return clinux_send(descriptor, list.pointee.iov_base, list.pointee.iov_len)
        }
        var message = msghdr()
        message.msg_iov = list
        message.msg_iovlen = Int(count)
        while true {
            let sent = sendmsg(descriptor, &message, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            if sent >= 0 { return sent }
            let code = errno
            if code != EINTR { return -Int(code) }
        }
    }

    /// sendfile(2) on a socket with O_NONBLOCK set. Returns the number of bytes that it took, 0 at
    /// the end of the file, or a negated errno (`wouldBlock`).
    package static func send(_ descriptor: Int32, file: Int32, offset: Int, count: Int) -> Int {
        PipeSignal.blocked {
            while true {
                var place = off_t(offset)
                let result = sendfile(descriptor, file, &place, count)
                if result >= 0 { return result }
                let code = errno
                if code == EPIPE { return PipeSignal.consume(-Int(code)) }
                if code != EINTR { return -Int(code) }
            }
        }
    }

    /// Returns the number of bytes, 0 at the end, or a negated errno (`wouldBlock`: no bytes yet).
    @inline(__always)
    package static func receive(
        _ descriptor: Int32, into memory: UnsafeMutableRawPointer, _ count: Int
    ) -> Int {
        clinux_receive(descriptor, memory, count)
    }

    package static let wouldBlock = -Int(EAGAIN)

    /// The socket's error, which is cleared; 0 if there is none. SO_ERROR.
    package static func pendingError(of descriptor: Int32) -> Int32 {
        option(descriptor, SOL_SOCKET, SO_ERROR) ?? errno
    }

    /// Shuts the sending direction down, so the peer reads the end of the stream. shutdown(2).
    package static func closeOutput(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes at once and resets the connection; unsent bytes are dropped. SO_LINGER.
    package static func abort(_ descriptor: Int32) {
        setStructure(descriptor, SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
        Descriptors.close(descriptor)
    }

    // MARK: making

    /// Makes a socket with O_NONBLOCK and close-on-exec, and closes it again if `body` throws.
    static func open<Result>(
        _ type: __socket_type, _ family: UInt16, _ body: (Int32) throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        let kind = Int32(type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = try checked("socket") { socket(Int32(family), kind, 0) }
        do throws(SystemError) {
            return try body(descriptor)
        } catch {
            Descriptors.close(descriptor)
            throw error
        }
    }

    static func bind(_ descriptor: Int32, to address: SocketAddress) throws(SystemError) {
        try checked("bind") { address.withSockaddr { Glibc.bind(descriptor, $0, $1) } }
    }

    // MARK: options

    /// getsockopt(2) with a number; nil if the socket does not support the option.
    static func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, level, name, &value, &length) == 0 ? value : nil
    }

    /// setsockopt(2) with a number. Returns 0 or an errno.
    @discardableResult
    static func setOption(
        _ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32
    ) -> Int32 {
        setStructure(descriptor, level, name, value)
    }

    /// The same with a C structure.
    @discardableResult
    static func setStructure<Value: BitwiseCopyable>(
        _ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Value
    ) -> Int32 {
        withUnsafeBytes(of: value) {
            setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count)) == 0
                ? 0 : errno
        }
    }

    /// The same, throwing on failure.
    static func require(
        _ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32
    ) throws(SystemError) {
        let code = setOption(descriptor, level, name, value)
        if code != 0 { throw SystemError(call: "setsockopt", code: code) }
    }

    /// Sets TCP_NODELAY, which accepted sockets inherit. Has no effect on other than TCP sockets.
    package static func setNoDelay(_ descriptor: Int32) {
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// Makes the kernel ask a silent peer whether it exists, and give up after four questions
    /// without an answer, which take as long as the silence. Accepted sockets inherit it.
    package static func setKeepAlive(_ descriptor: Int32, seconds: Int32) {
        setOption(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, seconds)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, max(1, seconds / 4))
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
    }

    /// Whether it is a SOCK_STREAM socket; nil: not a socket.
    package static func isStream(_ descriptor: Int32) -> Bool? {
        option(descriptor, SOL_SOCKET, SO_TYPE).map { $0 == Int32(SOCK_STREAM.rawValue) }
    }

    /// Whether it is a listening socket. SO_ACCEPTCONN.
    package static func isListening(_ descriptor: Int32) -> Bool {
        option(descriptor, SOL_SOCKET, SO_ACCEPTCONN) == 1
    }

    package static func isUnix(_ descriptor: Int32) -> Bool {
        option(descriptor, SOL_SOCKET, SO_DOMAIN) == AF_UNIX
    }

    package static func localAddress(of descriptor: Int32) -> SocketAddress? {
        var address = SocketAddress()
        return address.fill { getsockname(descriptor, $0, $1) } == 0 ? address : nil
    }

    package static func remoteAddress(of descriptor: Int32) -> SocketAddress? {
        var address = SocketAddress()
        return address.fill { getpeername(descriptor, $0, $1) } == 0 ? address : nil
    }

    /// Bytes that the kernel has taken and the peer has not acknowledged; 0 if unknown.
    package static func unconfirmedBytes(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(max(0, count)) : 0
    }
}
