import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("Multicast groups", .watchdog)
struct DatagramGroupTests {
    private static let loopback = InterfaceZone(index: if_nametoindex("lo"))

    /// Whether a plain socket receives datagrams to a group over the loopback interface.
    private static let worksIPv4 = works(IPv4Address(239, 1, 2, 200))

    private static func works(_ group: IPv4Address) -> Bool {
        guard let loopback else { return false }
        guard let socket = try? DatagramSocket(.ipv4(.any, port: 0)) else { return false }
        let log = DatagramLog(activating: socket)
        defer { closeAndWait(socket) }
        guard (try? socket.join(.v4(group), on: loopback)) != nil,
            (try? socket.setGroupInterface(loopback)) != nil
        else { return false }
        socket.send([1], to: .ipv4(group, port: socket.port))
        return log.datagrams.wait(seconds: Patience.seconds / 10) { !$0.isEmpty }
    }

    /// An interface over which a socket receives its own datagrams to an IPv6 group. Groups in
    /// ff01::/16 never leave the machine.
    private static let interfaceIPv6: InterfaceZone? = (1..<16).lazy
        .compactMap { InterfaceZone(index: $0) }.first { worksIPv6($0) }

    private static func worksIPv6(_ interface: InterfaceZone) -> Bool {
        guard let group = try? IPv6Address("ff01::1:200"),
            let socket = try? DatagramSocket(.ipv6(.any, port: 0))
        else { return false }
        let log = DatagramLog(activating: socket)
        defer { closeAndWait(socket) }
        guard (try? socket.join(.v6(group), on: interface)) != nil else { return false }
        socket.send([1], to: .ipv6(group, port: socket.port, zone: interface))
        return log.datagrams.wait(seconds: Patience.seconds / 10) { !$0.isEmpty }
    }

    @Test(
        "A member of an IPv4 group receives its datagrams until it leaves",
        .enabled(if: worksIPv4, "no IPv4 groups on the loopback interface"))
    func ipv4() throws {
        let group = IPAddress.v4(IPv4Address(239, 1, 2, 3))
        let zone = try InterfaceZone("lo")
        var options = DatagramOptions()
        options.reusesAddress = true
        // Bound to the group, so that it receives no datagrams of other tests.
        let one = try DatagramSocket(Endpoint(group, port: 0), options: options)
        let other = try DatagramSocket(Endpoint(group, port: one.port), options: options)
        let (oneLog, otherLog) = (DatagramLog(), DatagramLog())
        for (socket, log) in [(one, oneLog), (other, otherLog)] {
            log.attach(to: socket)
            try socket.join(group, on: zone)
            socket.activate()
        }
        let sender = try DatagramSocket.local()
        sender.activate()
        try sender.setGroupInterface(zone)
        try sender.setGroupHops(0)
        let target = Endpoint(group, port: one.port)
        sender.send([1], to: target)
        for log in [oneLog, otherLog] { expectEventually(log.datagrams) { $0 == [[1]] } }
        // By its index, too.
        try other.leave(group, on: Self.loopback)
        sender.send([2], to: target)
        expectEventually(oneLog.datagrams) { $0 == [[1], [2]] }
        expectStays(otherLog.datagrams, at: [[1]])
        try sender.setGroupLoopback(false)
        try sender.setGroupLoopback(true)
        closeAndWait(one, other, sender)
    }

    @Test(
        "A member may ask for one sender",
        .enabled(if: worksIPv4, "no IPv4 groups on the loopback interface"))
    func sources() throws {
        let group = IPAddress.v4(IPv4Address(232, 1, 2, 4))
        let receiver = try DatagramSocket(Endpoint(group, port: 0))
        let log = DatagramLog(of: receiver)
        let wanted = IPv4Address(127, 0, 0, 7)
        try receiver.join(group, on: Self.loopback, from: .v4(wanted))
        receiver.activate()
        for address in [IPv4Address(127, 0, 0, 8), wanted] {
            let sender = try DatagramSocket(.ipv4(address, port: 0))
            try sender.setGroupInterface(Self.loopback)
            sender.activate()
            sender.send([UInt8(address.rawValue & 0xff)], to: Endpoint(group, port: receiver.port))
            closeAndWait(sender)
        }
        expectEventually(log.datagrams) { $0 == [[7]] }
        try receiver.leave(group, on: Self.loopback, from: .v4(wanted))
        closeAndWait(receiver)
    }

    @Test(
        "A member of an IPv6 group receives its datagrams with the group's address",
        .enabled(if: interfaceIPv6 != nil, "no interface for IPv6 groups"))
    func ipv6() throws {
        let group = IPAddress.v6(try IPv6Address("ff01::1:3"))
        let receiver = try DatagramSocket(.ipv6(.any, port: 0))
        let seen = Watched<[IPAddress?]>([])
        receiver.setReceiveHandler { socket, batch in
            batch.forEach { datagram, bytes in
                seen.append(datagram.localAddress)
                socket.reply(bytes, to: datagram)
            }
        }
        try receiver.join(group, on: Self.interfaceIPv6)
        receiver.activate()
        let sender = try DatagramSocket(.ipv6(.any, port: 0))
        try sender.setGroupInterface(Self.interfaceIPv6)
        let log = DatagramLog(activating: sender)
        sender.send([5], to: Endpoint(group, port: receiver.port))
        expectEventually(log.datagrams) { $0 == [[5]] }
        #expect(seen.value == [group])
        closeAndWait(sender, receiver)
    }

    @Test("A group that cannot be joined is an error with a reason")
    func errors() throws {
        let socket = try DatagramSocket.local()
        let group = IPAddress.v4(IPv4Address(239, 1, 2, 5))
        #expect(throws: EndpointError.self) {
            try socket.join(group, on: InterfaceZone("no-such-thing"))
        }
        #expect(throws: SocketError.self) { try socket.join(.v4(.loopback)) }
        do {
            try socket.leave(group, on: Self.loopback)
            Issue.record("left a group without being a member")
        } catch let error as SocketError {
            #expect(error.code == .addressNotAvailable)
            #expect("\(error)".contains("not a member"))
        }
        #expect(throws: SocketError.self) { try socket.setGroupHops(1000) }
        closeAndWait(socket)
        do {
            try socket.join(group, on: Self.loopback)
            Issue.record("joined a group without a socket")
        } catch let error as SocketError {
            #expect(error.code == .badFileDescriptor)
            #expect("\(error)".contains("closed"))
        }
    }
}
