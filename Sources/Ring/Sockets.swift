internal import CRing
internal import Glibc

/// Calls on stream sockets that never block and never raise SIGPIPE.
package enum Sockets {
    /// The count of bytes that the kernel took, or a negated errno (`wouldBlock`: none now).
    @inline(__always)
    package static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        cring_send(descriptor, bytes.baseAddress, bytes.count)
    }

    /// The same for several pieces at once (sendmsg(2)).
    package static func send(
        _ descriptor: Int32, _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>
    ) -> Int {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: max(1, pieces.count)) { list in
            guard let start = list.baseAddress else { return 0 }
            let filled = GatherList.fill(start, pieces, Int.max)
            var message = msghdr()
            message.msg_iov = start
            message.msg_iovlen = Int(filled.count)
            while true {
                let count = sendmsg(
                    descriptor, &message, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                if count >= 0 { return count }
                let code = errno
                if code != EINTR { return -Int(code) }
            }
        }
    }

    package static let wouldBlock = -Int(EAGAIN)

    /// The peer is told that nothing more comes (shutdown(2)); 0, or an errno.
    @discardableResult
    package static func finishSending(_ descriptor: Int32) -> Int32 {
        shutdown(descriptor, Int32(SHUT_WR)) == 0 ? 0 : errno
    }

    package static func close(_ descriptor: Int32) {
        // After EINTR the descriptor is closed all the same, on Linux.
        _ = Glibc.close(descriptor)
    }

    /// Closes so that the peer finds the connection reset, and what is unsent is dropped.
    package static func reset(_ descriptor: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        let length = socklen_t(MemoryLayout.size(ofValue: linger))
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, length)
        close(descriptor)
    }

    /// The error that waits on a socket (SO_ERROR), which this takes; 0: none.
    package static func takeError(_ descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
    }

    package static func isUnix(_ descriptor: Int32) -> Bool {
        var family: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &length) == 0
            && family == AF_UNIX
    }

    /// setsockopt(2) with a number; 0, or an errno.
    @discardableResult
    package static func setOption(
        _ descriptor: Int32, level: Int32, name: Int32, value: Int32
    ) -> Int32 {
        var value = value
        let length = socklen_t(MemoryLayout<Int32>.size)
        return setsockopt(descriptor, level, name, &value, length) == 0 ? 0 : errno
    }

    /// Small messages go out at once (TCP_NODELAY), on what a listening socket accepts too. Has no
    /// effect on other sockets.
    package static func sendAtOnce(_ descriptor: Int32) {
        setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_NODELAY, value: 1)
    }
}
