internal import CLinux
internal import Glibc

/// A batch of datagrams to be sent by one call: sendmmsg(2). Used by one thread at a time.
package final class DatagramSender: @unchecked Sendable {
    // Safety: whoever owns it keeps its users apart.
    /// The most messages of one call.
    package static let capacity = 64
    /// The most pieces of memory of one call. A message has at most 1024 (UIO_MAXIOV).
    package static let pieceCapacity = 512
    /// The most datagrams that the kernel cuts one message into, in its older versions.
    package static let mostSegments = 64

    private let messages: UnsafeMutablePointer<clinux_message>
    private let vectors: UnsafeMutablePointer<iovec>
    private let addresses: UnsafeMutablePointer<sockaddr_storage>
    private let controls: UnsafeMutableRawPointer
    /// Messages of the batch.
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

    /// Whether a message of so many pieces has room.
    @inline(__always)
    package func hasRoom(pieces more: Int) -> Bool {
        count < DatagramSender.capacity && pieces + more <= DatagramSender.pieceCapacity
    }

    /// Begins a message, whose bytes follow by `append`.
    /// - Parameters:
    ///   - address: nil for the peer of a connected socket.
    ///   - path: what it answers; nil: the kernel chooses the address to send from.
    ///   - segmentBytes: the kernel cuts the bytes into datagrams of that length; 0: it is one.
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

    /// Adds bytes to the last message, which stay where they are until `send`.
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

    /// Sends what the kernel takes: the count of messages, or a negated errno, which is the
    /// first message's (`Sockets.wouldBlock`: no room).
    package func send(_ descriptor: Int32) -> Int {
        while true {
            let sent = clinux_send_messages(descriptor, messages, UInt32(count))
            if sent != -EINTR { return Int(sent) }
        }
    }
}
