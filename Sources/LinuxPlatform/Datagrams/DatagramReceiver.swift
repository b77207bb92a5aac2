internal import CLinux
internal import Glibc

/// Buffers for a batch of datagrams, filled by recvmmsg(2). Not safe for concurrent use.
package final class DatagramReceiver {
    // Safety: the owner never uses it concurrently.
    /// Most datagrams per call.
    package let capacity: Int
    private let bytesEach: Int
    private let stride: Int
    private let memory: UnsafeMutableRawPointer
    private let messages: UnsafeMutablePointer<clinux_message>
    private let vectors: UnsafeMutablePointer<iovec>
    private let addresses: UnsafeMutablePointer<sockaddr_storage>
    private let controls: UnsafeMutableRawPointer
    private let hasControls: Bool
    /// Entries used by the last call, to reset before the next one.
    private var used = 0

    /// The longest datagram, and the longest that the kernel coalesces.
    package static let longestBytes = 65_536

    /// - Parameters:
    ///   - bytesEach: the buffer of each datagram; longer ones are truncated.
    ///   - hasControls: false for Unix sockets, whose peers could pass descriptors.
    package init(capacity: Int, bytesEach: Int, hasControls: Bool) {
        self.capacity = capacity
        self.bytesEach = bytesEach
        self.hasControls = hasControls
        // The padding spreads the beginnings of the buffers over different cache sets.
        stride = (bytesEach + 63) / 64 * 64 + 192
        memory = .allocate(byteCount: capacity * stride, alignment: 64)
        messages = .allocate(capacity: capacity)
        vectors = .allocate(capacity: capacity)
        addresses = .allocate(capacity: capacity)
        controls = .allocate(
            byteCount: capacity * DatagramControl.receiveBytes, alignment: 16)
        messages.initialize(repeating: clinux_message(), count: capacity)
        addresses.initialize(repeating: sockaddr_storage(), count: capacity)
        for index in 0..<capacity {
            let start = memory + index * stride
            (vectors + index).initialize(to: iovec(iov_base: start, iov_len: bytesEach))
            messages[index].header.msg_iov = vectors + index
            messages[index].header.msg_iovlen = 1
            messages[index].header.msg_name = UnsafeMutableRawPointer(addresses + index)
        }
        used = capacity
    }

    deinit {
        memory.deallocate()
        messages.deallocate()
        vectors.deallocate()
        addresses.deallocate()
        controls.deallocate()
    }

    /// Receives waiting datagrams without blocking, and overwrites those of the last call. Returns
    /// the number of entries, or a negated errno (`Sockets.wouldBlock`: none).
    package func receive(_ descriptor: Int32) -> Int {
        for index in 0..<used {
            messages[index].header.msg_namelen = socklen_t(SocketAddress.capacity)
            guard hasControls else { continue }
            messages[index].header.msg_control = controls + index * DatagramControl.receiveBytes
            messages[index].header.msg_controllen = DatagramControl.receiveBytes
        }
        used = 0
        while true {
            let count = clinux_receive_messages(descriptor, messages, UInt32(capacity))
            if count == -EINTR { continue }
            used = Int(max(0, count))
            return Int(count)
        }
    }

    /// An entry's bytes: one datagram, or several coalesced ones.
    @inline(__always)
    package func bytes(at index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: memory + index * stride, count: min(Int(messages[index].count), bytesEach))
    }

    /// Whether the datagram was longer than its buffer.
    @inline(__always)
    package func isTruncated(at index: Int) -> Bool {
        messages[index].header.msg_flags & Int32(MSG_TRUNC) != 0
    }

    /// The sender's address; empty for an unnamed Unix socket.
    package func address(at index: Int) -> SocketAddress {
        let length = Int(messages[index].header.msg_namelen)
        return SocketAddress(
            copying: UnsafeRawBufferPointer(
                start: addresses + index, count: min(length, SocketAddress.capacity)))
    }

    /// The sender's port; 0 if there is none.
    package func port(at index: Int) -> UInt16 {
        // sockaddr_in and sockaddr_in6 have the port at the same offset.
        let family = Int32(addresses[index].ss_family)
        guard messages[index].header.msg_namelen >= MemoryLayout<sockaddr_in>.size,
            family == AF_INET || family == AF_INET6
        else { return 0 }
        return UInt16(
            bigEndian: UnsafeRawPointer(addresses + index).load(fromByteOffset: 2, as: UInt16.self))
    }

    /// The entry's control messages.
    package func facts(at index: Int) -> DatagramFacts {
        hasControls && messages[index].header.msg_controllen > 0
            ? DatagramControl.facts(of: &messages[index].header) : DatagramFacts()
    }

    /// Whether the bytes are part of the last batch, and so stay valid until the next `receive`.
    @inline(__always)
    package func contains(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress, used > 0 else { return false }
        return start >= UnsafeRawPointer(memory)
            && start + bytes.count <= UnsafeRawPointer(memory + used * stride)
    }
}
