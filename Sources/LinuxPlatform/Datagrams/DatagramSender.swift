internal import CLinux
internal import Glibc

/// A batch of datagrams for one sendmmsg(2). Not safe for concurrent use.
package final class DatagramSender {
    // Safety: the owner never uses it concurrently.
    /// Most messages per call.
    package static let capacity = 64
    /// Most iovecs per call. The kernel's limit for one message is 1024 (UIO_MAXIOV).
    package static let pieceCapacity = 512
    /// Most segments per message in older kernels.
    package static let mostSegments = 64

    private let messages: UnsafeMutablePointer<clinux_message>
    private let vectors: UnsafeMutablePointer<iovec>
    private let addresses: UnsafeMutablePointer<sockaddr_storage>
    private let controls: UnsafeMutableRawPointer
    /// The number of messages in the batch.
    package private(set) var count = 0
    private var pieces = 0

    package init() {
        messages = .allocate(capacity: DatagramSender.capacity)
        vectors = .allocate(capacity: DatagramSender.pieceCapacity)
        addresses = .allocate(capacity: DatagramSender.capacity)
        controls = .allocate(
            byteCount: DatagramSender.capacity * DatagramControl.sendBytes, alignment: 16)
        messages.initialize(repeating: clinux_message(), count: DatagramSender.capacity)
        vectors.initialize(repeating: iovec(), count: DatagramSender.pieceCapacity)
        addresses.initialize(repeating: sockaddr_storage(), count: DatagramSender.capacity)
    }

    deinit {
        messages.deallocate()
        vectors.deallocate()
        addresses.deallocate()
        controls.deallocate()
    }

    package func removeAll() {
        count = 0
        pieces = 0
    }

    /// Whether a message of `more` pieces fits.
    @inline(__always)
    package func hasRoom(pieces more: Int) -> Bool {
        count < DatagramSender.capacity && pieces + more <= DatagramSender.pieceCapacity
    }

    /// Starts a message; `append` adds its bytes.
    /// - Parameters:
    ///   - address: nil for the peer of a connected socket.
    ///   - path: the path of the datagram that this one answers; nil: the kernel chooses the
    ///     source.
    ///   - segmentBytes: the length of the segments that the kernel cuts the bytes into; 0: one
    ///     datagram.
    package func begin(to address: SocketAddress?, path: DatagramPath?, segmentBytes: Int) {
        let message = messages + count
        message.pointee.header.msg_iov = vectors + pieces
        message.pointee.header.msg_iovlen = 0
        if let address {
            let place = UnsafeMutableRawPointer(addresses + count)
            address.withBytes { bytes in
                if let start = bytes.baseAddress {
                    place.copyMemory(from: start, byteCount: bytes.count)
                }
                message.pointee.header.msg_namelen = socklen_t(bytes.count)
            }
            message.pointee.header.msg_name = place
        } else {
            message.pointee.header.msg_name = nil
            message.pointee.header.msg_namelen = 0
        }
        DatagramControl.write(
            into: &message.pointee.header, room: controls + count * DatagramControl.sendBytes,
            path: path, segmentBytes: segmentBytes)
        count += 1
    }

    /// Adds bytes to the last message. They must stay valid until `send`.
    @inline(__always)
    package func append(_ bytes: UnsafeRawBufferPointer) {
        let message = messages + (count - 1)
        let vector = vectors + pieces
        if message.pointee.header.msg_iovlen > 0, let last = (vector - 1).pointee.iov_base,
            UnsafeRawPointer(last + (vector - 1).pointee.iov_len) == bytes.baseAddress
        {
            (vector - 1).pointee.iov_len += bytes.count
            return
        }
        vector.pointee = iovec(
            iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
        message.pointee.header.msg_iovlen += 1
        pieces += 1
    }

    /// Sends as many messages as the kernel takes. Returns their number, or the first message's
    /// negated errno (`Sockets.wouldBlock`: no room).
    package func send(_ descriptor: Int32) -> Int {
        while true {
            let sent = clinux_send_messages(descriptor, messages, UInt32(count))
            if sent != -EINTR { return Int(sent) }
        }
    }
}
