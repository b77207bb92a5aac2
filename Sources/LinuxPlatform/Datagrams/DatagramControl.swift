internal import CLinux
internal import Glibc

/// The control messages of a datagram. cmsg(3).
enum DatagramControl {
    /// Room for an IPv4 and an IPv6 path, a segment length and a drop count.
    static let receiveBytes = 128
    /// Room for a path and a segment length.
    static let sendBytes = 64

    static func facts(of message: inout msghdr) -> DatagramFacts {
        var facts = DatagramFacts()
        var next = clinux_first_control(&message)
        while let control = next {
            read(control, &facts)
            next = clinux_next_control(&message, control)
        }
        return facts
    }

    private static func read(
        _ control: UnsafeMutablePointer<cmsghdr>, _ facts: inout DatagramFacts
    ) {
        guard let data = clinux_control_data(control) else { return }
        switch (control.pointee.cmsg_level, control.pointee.cmsg_type) {
        case (SOL_SOCKET, SO_RXQ_OVFL):
            facts.kernelDrops = data.loadUnaligned(as: UInt32.self)
        case (Int32(IPPROTO_UDP), Int32(CLINUX_UDP_GRO)):
            facts.segmentBytes = Int(data.loadUnaligned(as: Int32.self))
        case (Int32(IPPROTO_IP), IP_PKTINFO):
            let info = data.loadUnaligned(as: clinux_packet_info4.self)
            // An IPv6 socket has both messages for an IPv4 datagram, and this one is the last. Only
            // it has a source for answers to a broadcast.
            let isMapped = facts.path != nil
            func address(_ address: UInt32) -> DatagramPath.Address {
                let address = UInt32(bigEndian: address)
                return isMapped ? .ipv6(0xffff << 32 | UInt128(address)) : .ipv4(address)
            }
            facts.path = DatagramPath(
                destination: address(info.destination), source: address(info.source),
                interface: UInt32(bitPattern: info.interface))
        case (Int32(IPPROTO_IPV6), Int32(CLINUX_IPV6_PKTINFO)):
            let address = UInt128(bigEndian: data.loadUnaligned(as: UInt128.self))
            let offset = MemoryLayout<UInt128>.size
            facts.path = DatagramPath(
                destination: .ipv6(address),
                source: DatagramPath.isGroup(address) ? nil : .ipv6(address),
                interface: data.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        default:
            break
        }
    }

    /// Fills `message`'s control buffer, `sendBytes` bytes at `room`, with the source address and
    /// the segment length, if given.
    static func write(
        into message: inout msghdr, room: UnsafeMutableRawPointer, path: DatagramPath?,
        segmentBytes: Int
    ) {
        var end = 0
        if let source = path?.source, let interface = path?.interface {
            switch source {
            case .ipv4(let address):
                let info = clinux_packet_info4(
                    interface: 0, source: address.bigEndian, destination: 0)
                end += append(info, Int32(IPPROTO_IP), IP_PKTINFO, at: room + end)
            case .ipv6(let address):
                var info = clinux_packet_info6()
                withUnsafeMutableBytes(of: &info.address) {
                    $0.storeBytes(of: address.bigEndian, as: UInt128.self)
                }
                // A link-local address requires the interface.
                info.interface = DatagramPath.isLinkLocal(address) ? interface : 0
                end += append(
                    info, Int32(IPPROTO_IPV6), Int32(CLINUX_IPV6_PKTINFO), at: room + end)
            }
        }
        if segmentBytes > 0 {
            end += append(
                UInt16(segmentBytes), Int32(IPPROTO_UDP), Int32(CLINUX_UDP_SEGMENT), at: room + end)
        }
        message.msg_control = end > 0 ? room : nil
        message.msg_controllen = end
    }

    /// Returns the number of bytes used, including the alignment of the next message.
    private static func append<Value>(
        _ value: Value, _ level: Int32, _ type: Int32, at place: UnsafeMutableRawPointer
    ) -> Int {
        let control = place.assumingMemoryBound(to: cmsghdr.self)
        let size = MemoryLayout<Value>.size
        control.pointee.cmsg_len = clinux_control_length(size)
        control.pointee.cmsg_level = level
        control.pointee.cmsg_type = type
        withUnsafeBytes(of: value) { bytes in
            clinux_control_data(control)?.copyMemory(
                from: bytes.baseAddress!, byteCount: size)
        }
        return clinux_control_space(size)
    }
}
