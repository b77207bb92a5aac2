import Glibc
import RingDispatch
import RingNetwork
import Testing

/// The offloads that this kernel supports (Linux 4.18 and 5.0).
private enum Offload {
    private static func has(_ option: Int32) -> Bool {
        let descriptor = socket(
            AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        return socketOption(descriptor, IPPROTO_UDP, option) != nil
    }

    static let hasSegmentation = has(103)
    static let hasReceive = has(104)
}

@Suite("Segmentation and coalescing of datagrams", .watchdog)
struct DatagramOffloadTests {
    /// Datagrams of one length with a shorter one at the end of each run, and others that cannot be
    /// in one message with their neighbours.
    private static let mixed: [[UInt8]] =
        (0..<100).map { patterned(1000, seed: $0) } + [patterned(10)]
        + (0..<70).map { patterned(1200, seed: $0) } + [[], patterned(1), [], patterned(1300)]
        + (0..<10).map { patterned(9000, seed: $0) } + (0..<5).map { patterned(20_000, seed: $0) }

    private func makeReceiver(_ options: DatagramOptions) throws -> (DatagramSocket, DatagramLog) {
        var options = options
        options.receiveBufferBytes = 4 << 20
        let receiver = try DatagramSocket(.ipv4(.loopback, port: 0), options: options)
        let log = DatagramLog(activating: receiver)
        return (receiver, log)
    }

    @Test(
        "Datagrams stay separate, whether the kernel segments and coalesces them or not",
        arguments: [false, true], [false, true])
    func mixed(cuts: Bool, combines: Bool) throws {
        var options = DatagramOptions()
        options.combinesSent = cuts
        options.combinesReceived = combines
        let (receiver, log) = try makeReceiver(options)
        let sender = try DatagramSocket(.ipv4(.loopback, port: 0), options: options)
        sender.activate()
        let target = try #require(receiver.localEndpoint)
        sender.send(Self.mixed, to: target)
        expectEventually(log.datagrams, "\(log.datagrams.value.count)") {
            $0.count == Self.mixed.count
        }
        expectSame(log.datagrams.value, Self.mixed)
        let (sent, received) = (sender.countersNow, receiver.countersNow)
        #expect(sent.datagramsSent == UInt64(Self.mixed.count))
        #expect(received.datagramsReceived == UInt64(Self.mixed.count))
        #expect(sent.datagramsRefused == 0)
        if !cuts || !Offload.hasSegmentation { #expect(sent.datagramsSegmented == 0) }
        if cuts && Offload.hasSegmentation { #expect(sent.datagramsSegmented >= 170) }
        if !combines { #expect(received.datagramsCombined == 0) }
        if cuts && combines && Offload.hasSegmentation && Offload.hasReceive {
            #expect(received.datagramsCombined >= 170)
            #expect(received.receiveCalls < 50)
        }
        closeAndWait(sender, receiver)
    }

    @Test(
        "A refused segmented message is sent as single datagrams, and not tried again",
        .enabled(if: Offload.hasSegmentation, "the kernel has no UDP_SEGMENT"))
    func fallback() throws {
        let (receiver, log) = try makeReceiver(DatagramOptions())
        let sender = try DatagramSocket.local {
            // SO_NO_CHECK: without checksums the kernel does not segment (EINVAL).
            $0.prepare = { setSocketOption($0, SOL_SOCKET, 11, 1) }
        }
        let failures = DatagramLog(activating: sender)
        let target = try #require(receiver.localEndpoint)
        let datagrams = (0..<100).map { patterned(1000, seed: $0) }
        for round in 1...2 {
            sender.send(datagrams, to: target)
            expectEventually(log.datagrams) { $0.count == 100 * round }
        }
        expectSame(log.datagrams.value, datagrams + datagrams)
        #expect(sender.countersNow.datagramsSegmented == 0)
        #expect(sender.countersNow.datagramsRefused == 0)
        #expect(failures.failures.value.isEmpty)
        closeAndWait(sender, receiver)
    }

    @Test(
        "Datagrams that the kernel refuses in any form do not end segmentation",
        .enabled(if: Offload.hasSegmentation, "the kernel has no UDP_SEGMENT"))
    func refusedAnyway() throws {
        let (receiver, log) = try makeReceiver(DatagramOptions())
        let sender = try DatagramSocket.local()
        let failures = DatagramLog(activating: sender)
        // Nobody can have port 0 (EINVAL).
        sender.send([[1, 2, 3], [4, 5, 6]], to: .ipv4(.loopback, port: 0))
        expectEventually(failures.failures) { $0.count == 2 }
        let target = try #require(receiver.localEndpoint)
        let datagrams = (0..<100).map { patterned(1000, seed: $0) }
        sender.send(datagrams, to: target)
        expectEventually(log.datagrams) { $0.count == 100 }
        #expect(sender.countersNow.datagramsSegmented > 0)
        #expect(sender.countersNow.datagramsRefused == 2)
        closeAndWait(sender, receiver)
    }

    @Test("Answers to a batch are sent together, and from the address that was asked")
    func echo() throws {
        var options = DatagramOptions()
        options.receiveBufferBytes = 4 << 20
        let server = try DatagramSocket(.ipv4(.any, port: 0), options: options)
        server.setReceiveHandler { socket, batch in
            batch.forEach { socket.reply($1, to: $0) }
        }
        let (client, log) = try makeReceiver(options)
        let target = Endpoint.ipv4(IPv4Address(127, 0, 0, 5), port: server.port)
        let datagrams = (0..<128).map { patterned(1000, seed: $0) }
        client.send(datagrams, to: target)
        // All of them wait by now.
        client.queue.sync {}
        server.activate()
        expectEventually(log.datagrams) { $0.count == 128 }
        expectSame(log.datagrams.value, datagrams)
        let counters = server.countersNow
        #expect(counters.sendCalls <= counters.receiveCalls)
        if Offload.hasSegmentation { #expect(counters.datagramsSegmented > 0) }
        closeAndWait(client, server)
    }
}
