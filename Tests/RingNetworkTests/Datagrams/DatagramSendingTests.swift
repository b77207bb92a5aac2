import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("Sending datagrams", .watchdog)
struct DatagramSendingTests {
    @Test("A closed port is reported to the error handler, and the socket stays usable")
    func refusal() throws {
        let reserved = PlainDatagrams()
        let peer = reserved.endpoint
        // A connected socket holds the port, and the kernel refuses other senders.
        connect(reserved.descriptor, to: reserved.port)
        let socket = try DatagramSocket(connectingTo: peer)
        let log = DatagramLog(activating: socket)
        for round in 1...3 {
            socket.send([1])
            expectEventually(log.failures) { $0.count == round }
        }
        #expect(log.failures.value.allSatisfy { $0.cause.code == .connectionRefused })
        #expect(log.failures.value.allSatisfy { $0.endpoint == peer && $0.unsentDatagrams == 0 })
        // The socket must not spin.
        expectStays(log.failures, at: log.failures.value)
        #expect(socket.countersNow.datagramsSent == 3)
        #expect(socket.countersNow.datagramsRefused == 0)
        connect(reserved.descriptor, to: socket.port)
        socket.send([2])
        #expect(reserved.receive() == [2])
        reserved.send([3], to: socket.port)
        expectEventually(log.datagrams) { $0 == [[3]] }
        closeAndWait(socket)
    }

    @Test("A datagram that cannot be sent is reported with its endpoint; the others are sent")
    func tooLong() throws {
        let receiver = PlainDatagrams()
        let socket = try DatagramSocket.local()
        let log = DatagramLog(activating: socket)
        let target = receiver.endpoint
        let host = Endpoint.host(try HostName("example.org"), port: 1)
        socket.send([
            OutgoingDatagram([1], to: target),
            OutgoingDatagram(patterned(65_508), to: target),
            OutgoingDatagram([2], to: host),
            OutgoingDatagram([3], to: .ipv6(.loopback, port: 1)),
            OutgoingDatagram([4], to: target),
        ])
        #expect(receiver.receive() == [1])
        #expect(receiver.receive() == [4])
        expectEventually(log.failures) { $0.count == 3 }
        let codes = Dictionary(
            uniqueKeysWithValues: log.failures.value.map { ($0.endpoint, $0.cause.code.rawValue) })
        #expect(codes[target] == EMSGSIZE)
        #expect(codes[host] == EDESTADDRREQ)
        #expect(codes[.ipv6(.loopback, port: 1)] == EAFNOSUPPORT)
        #expect(log.failures.value.allSatisfy { $0.unsentDatagrams == 1 })
        #expect(socket.countersNow.datagramsRefused == 3)
        #expect(socket.countersNow.datagramsSent == 2)
        closeAndWait(socket)
    }

    @Test("An empty datagram needs no memory")
    func empty() throws {
        let receiver = PlainDatagrams()
        let socket = try DatagramSocket.local()
        let log = DatagramLog(activating: socket)
        socket.queue.sync {
            socket.send(UnsafeRawBufferPointer(start: nil, count: 0), to: receiver.endpoint)
            socket.send([1], to: receiver.endpoint)
        }
        #expect(receiver.receive() == [])
        #expect(receiver.receive() == [1])
        #expect(log.failures.value.isEmpty)
        closeAndWait(socket)
    }

    @Test("Broadcasts need the option", arguments: [false, true])
    func broadcast(isAllowed: Bool) throws {
        var options = DatagramOptions()
        options.reportsLocalAddress = true
        let receiver = try DatagramSocket(.ipv4(.any, port: 0), options: options)
        let seen = Watched<[IPAddress?]>([])
        let answers = Watched<[Bool]>([])
        receiver.setReceiveHandler { socket, batch in
            batch.forEach { datagram, _ in
                answers.append(DatagramAnswerRule().allows(datagram, on: socket))
                seen.append(datagram.localAddress)
            }
        }
        receiver.activate()
        options.allowsBroadcast = isAllowed
        let socket = try DatagramSocket(.ipv4(.loopback, port: 0), options: options)
        let log = DatagramLog(activating: socket)
        let everyone = IPv4Address(127, 255, 255, 255)
        socket.send([1], to: .ipv4(everyone, port: receiver.port))
        if isAllowed {
            expectEventually(seen) { $0 == [.v4(everyone)] }
            #expect(answers.value == [false])
        } else {
            expectEventually(log.failures) { $0.first?.cause.code == .permissionDenied }
        }
        closeAndWait(socket, receiver)
    }

    @Test(
        "An error that the network reports for an earlier datagram drops no others",
        .enabled(if: geteuid() == 0, "only root can send ICMP messages"))
    func networkError() throws {
        let receiver = PlainDatagrams()
        let socket = try DatagramSocket(connectingTo: receiver.endpoint)
        let log = DatagramLog(activating: socket)
        let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
        let raw = Glibc.socket(AF_INET, kind, Int32(IPPROTO_ICMP))
        try #require(raw >= 0)
        defer { close(raw) }
        // "Communication is prohibited" (3, 13), and the headers of the refused datagram.
        var message: [UInt8] = [3, 13, 0, 0, 0, 0, 0, 0]
        message += [0x45, 0, 0, 29, 0, 0, 0, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1]
        for port in [socket.port, receiver.port] {
            message += [UInt8(port >> 8), UInt8(port & 255)]
        }
        message += [0, 9, 0, 0]
        var sum = stride(from: 0, to: message.count, by: 2).reduce(UInt32(0)) {
            $0 + UInt32(message[$1]) << 8 + UInt32(message[$1 + 1])
        }
        while sum > 0xffff { sum = sum & 0xffff + sum >> 16 }
        message[2] = UInt8(~sum >> 8 & 255)
        message[3] = UInt8(~sum & 255)
        var address = sockaddr_in(port: 0)
        socket.queue.sync {
            let count = address.withSockaddr {
                sendto(raw, message, message.count, 0, $0, sockaddr_in.length)
            }
            #expect(count == message.count)
            socket.send([1])
        }
        #expect(receiver.receive() == [1])
        expectEventually(log.failures) { !$0.isEmpty }
        #expect(log.failures.value.map(\.cause.code) == [.noRouteToHost])
        #expect(log.failures.value.map(\.unsentDatagrams) == [0])
        closeAndWait(socket)
    }

    @Test("A socket for IPv4 and IPv6 recognizes broadcasts, and answers them")
    func dualBroadcast() throws {
        let everyone = IPv4Address(127, 255, 255, 255)
        let server = try DatagramSocket(.ipv6(.any, port: 0))
        let seen = Watched<[IPAddress?]>([])
        let allowed = Watched<[Bool]>([])
        server.setReceiveHandler { socket, batch in
            batch.forEach { datagram, bytes in
                allowed.append(DatagramAnswerRule().allows(datagram, on: socket))
                socket.reply(bytes, to: datagram)
                seen.append(datagram.localAddress)
            }
        }
        server.activate()
        let client = PlainDatagrams()
        setSocketOption(client.descriptor, SOL_SOCKET, SO_BROADCAST, 1)
        for address in [everyone, .loopback] {
            #expect(client.send([1], to: server.port, host: address.rawValue))
            #expect(client.receive() == [1])
        }
        #expect(seen.value.count == 2)
        #expect(allowed.value == [false, true])
        closeAndWait(server)
    }

    /// The kernel takes more than a half of them, and then has no room.
    @Test("Hundreds of datagrams wait for room", arguments: [400, 512, 600])
    func manyParts(count: Int) throws {
        let (descriptor, peer) = PlainDatagrams.pair()
        let socket = DatagramSocket(adopting: descriptor)
        socket.activate()
        let datagrams = (0..<count).map { patterned(10, seed: $0) }
        socket.send(datagrams)
        for datagram in datagrams { #expect(peer.receive() == datagram) }
        closeAndWait(socket)
    }

    /// Answers borrow the batch's bytes until the kernel refuses one, so that they are copied later
    /// than the datagrams between them.
    @Test("Answers and other datagrams that wait in turn keep their bytes and their order")
    func mixed() throws {
        let (descriptor, peer) = PlainDatagrams.pair()
        setSocketOption(descriptor, SOL_SOCKET, SO_SNDBUF, 8000)
        var options = DatagramOptions()
        options.receiveBatch = 100
        let socket = DatagramSocket(adopting: descriptor, options: options)
        func bytes(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 1000) }
        let answered = Gate()
        socket.setReceiveHandler { socket, batch in
            batch.forEach { datagram, received in
                let number = received.withUnsafeBytes { $0[0] }
                if number % 2 == 0 {
                    socket.reply(received, to: datagram)
                } else {
                    socket.send(bytes(number))
                }
            }
            answered.open()
        }
        for number in 0..<60 as Range<UInt8> { peer.sendConnected(bytes(number)) }
        socket.activate()
        expectOpens(answered)
        let waiting = socket.queue.sync { socket.queuedBytes }
        #expect(waiting > 0)
        // Until some that waited have left, and their memory is free.
        var received: [[UInt8]] = []
        repeat {
            received.append(try #require(peer.receive()))
        } while socket.queue.sync { socket.queuedBytes } == waiting
        for number in 60..<250 as Range<UInt8> { socket.send(bytes(number)) }
        while received.count < 250 { received.append(try #require(peer.receive())) }
        #expect(received == (0..<250).map { bytes($0) })
        closeAndWait(socket)
    }

    @Test("Datagrams for a full peer wait up to the limit")
    func limit() throws {
        let (descriptor, peer) = PlainDatagrams.pair()
        var options = DatagramOptions()
        options.sendQueueBytes = 10 * (100 + 64)
        let socket = DatagramSocket(adopting: descriptor, options: options)
        let writable = Gate()
        socket.setWritableHandler { socket in
            #expect(socket.isWritable && socket.queuedBytes == 0)
            writable.open()
        }
        socket.activate()
        let total = 1000
        for number in 0..<total {
            socket.send([UInt8](repeating: UInt8(number % 256), count: 100))
        }
        let before = socket.queue.sync { (socket.counters, socket.queuedBytes, socket.isWritable) }
        #expect(!before.2)
        #expect(before.1 == options.sendQueueBytes)
        let taken = Int(before.0.datagramsSent)
        #expect(Int(before.0.datagramsDropped) == total - taken - 10)
        for number in 0..<taken + 10 {
            #expect(peer.receive()?.first == UInt8(number % 256))
        }
        expectOpens(writable)
        let after = socket.countersNow
        #expect(after.datagramsSent == UInt64(taken + 10))
        #expect(after.datagramsDropped == before.0.datagramsDropped)
        socket.send([42])
        #expect(peer.receive() == [42])
        closeAndWait(socket)
    }

    @Test("A full peer of an unconnected Unix socket gets all waiting datagrams once it receives")
    func fullUnixPeer() throws {
        let names = try UnixNames()
        // On one queue, the receiver finds its turn between two attempts of the sender.
        let queue = DispatchQueue(label: "test.datagrams")
        let receiver = try DatagramSocket(names.full, target: queue)
        let log = DatagramLog(of: receiver)
        let sender = try DatagramSocket(names.sender, target: queue)
        sender.activate()
        sender.queue.sync {
            for number in 0..<100 { sender.send([UInt8(number)], to: names.full) }
            #expect(!sender.isWritable)
            queue.asyncAfter(deadline: .now() + .milliseconds(Patience.glanceMilliseconds)) {
                receiver.activate()
            }
        }
        expectEventually(log.datagrams) { $0 == (0..<100).map { [UInt8($0)] } }
        closeAndWait(sender, receiver)
    }

    @Test(
        "A full peer that never receives keeps no other from its datagrams", arguments: [1, 4096])
    func fullUnixPeerBesideOthers(size: Int) throws {
        let names = try UnixNames()
        let silent = try DatagramSocket(names.full)
        // On one queue, each finds its turn between two attempts of the other.
        let queue = DispatchQueue(label: "test.datagrams")
        let receiver = try DatagramSocket(names.good, target: queue)
        let log = DatagramLog(activating: receiver)
        let sender = try DatagramSocket(names.sender, target: queue)
        let failures = DatagramLog(activating: sender).failures
        // All fit into the queue.
        let total = min(1000, 400_000 / size)
        sender.send(
            (0..<total).flatMap { number in
                [names.full, names.good].map {
                    OutgoingDatagram([UInt8](repeating: UInt8(number % 256), count: size), to: $0)
                }
            })
        // A comparison of all would hold up the receiver, which would count as full.
        expectEventually(log.datagrams) { $0.count == total }
        #expect(log.datagrams.value.map(\.first) == (0..<total).map { UInt8($0 % 256) })
        expectEventually(failures) { !$0.isEmpty }
        #expect(failures.value.map(\.cause.code.rawValue) == [EAGAIN])
        #expect(failures.value.map(\.endpoint) == [names.full])
        let last = sender.countersNow
        #expect(last.datagramsSent + last.datagramsRefused == UInt64(2 * total))
        #expect(failures.value.map(\.unsentDatagrams) == [Int(last.datagramsRefused)])
        #expect(sender.queue.sync { sender.isWritable && sender.queuedBytes == 0 })
        closeAndWait(sender, receiver, silent)
    }

    @Test("Others get their datagrams once a peer that used up the socket's buffer is gone")
    func usedUpBuffer() throws {
        let names = try UnixNames()
        let silent = try DatagramSocket(names.full)
        let receiver = try DatagramSocket(names.good)
        let log = DatagramLog(activating: receiver)
        var options = DatagramOptions()
        options.sendBufferBytes = 50_000
        let sender = try DatagramSocket(names.sender, options: options)
        let failures = DatagramLog(activating: sender).failures
        for number in 0..<20 {
            sender.send([UInt8](repeating: UInt8(number), count: 20_000), to: names.full)
        }
        for number in 0..<10 { sender.send([UInt8(number)], to: names.good) }
        #expect(sender.queue.sync { !sender.isWritable })
        // Longer than a peer that has no room is waited for.
        letTimePass(milliseconds: 1500)
        #expect(failures.value.isEmpty)
        closeAndWait(silent)
        expectEventually(log.datagrams) { $0 == (0..<10).map { [UInt8($0)] } }
        #expect(failures.value.allSatisfy { $0.endpoint == names.full })
        closeAndWait(sender, receiver)
    }

    @Test("Others get their datagrams while those for a full peer wait and fill the queue")
    func passingFullUnixPeer() throws {
        let names = try UnixNames()
        // On one queue, the slow peer finds its turn between two attempts of the sender.
        let queue = DispatchQueue(label: "test.datagrams")
        let slow = try DatagramSocket(names.full, target: queue)
        let slowLog = DatagramLog(of: slow)
        let receiver = try DatagramSocket(names.good)
        let log = DatagramLog(activating: receiver)
        var options = DatagramOptions()
        options.sendQueueBytes = 10 * (1 + 64)
        let sender = try DatagramSocket(names.sender, options: options, target: queue)
        let writable = Gate()
        sender.setWritableHandler { _ in writable.open() }
        sender.activate()
        // In one block of the queue: none waits long enough to be given up.
        let counters = sender.queue.sync { () -> DatagramCounters in
            while sender.counters.datagramsDropped < 10 { sender.send([1], to: names.full) }
            let counters = sender.counters
            #expect(sender.queuedBytes == options.sendQueueBytes)
            for number in 0..<5 { sender.send([UInt8(number)], to: names.good) }
            #expect(sender.counters.datagramsSent == counters.datagramsSent + 5)
            #expect(!sender.isWritable)
            slow.activate()
            return counters
        }
        expectEventually(log.datagrams) { $0 == (0..<5).map { [$0] } }
        expectOpens(writable)
        let last = sender.countersNow
        #expect(last.datagramsSent == counters.datagramsSent + 15)
        #expect(last.datagramsDropped == 10 && last.datagramsRefused == 0)
        expectEventually(slowLog.datagrams) { $0.count == Int(last.datagramsSent) - 5 }
        closeAndWait(sender, receiver, slow)
    }

    @Test("Datagrams for a full peer that a socket sends before its activation leave after it")
    func fullUnixPeerInSetup() throws {
        let names = try UnixNames()
        // On one queue, the receiver finds its turn between two attempts of the sender.
        let queue = DispatchQueue(label: "test.datagrams")
        let receiver = try DatagramSocket(names.full, target: queue)
        let log = DatagramLog(of: receiver)
        let sender = try DatagramSocket(names.sender, target: queue)
        for number in 0..<100 { sender.send([UInt8(number)], to: names.full) }
        #expect(sender.queuedBytes > 0)
        queue.sync {
            sender.activate()
            receiver.activate()
        }
        expectEventually(log.datagrams) { $0 == (0..<100).map { [UInt8($0)] } }
        for number in 0..<100 { sender.send([UInt8(number)], to: names.full) }
        closeAndWait(sender, receiver)
        let last = sender.countersNow
        #expect(last.datagramsSent + last.datagramsDropped == 200)
    }

    @Test("Failures before the activation are kept up to a limit, and counted")
    func failuresInSetup() throws {
        let socket = try DatagramSocket(.ipv4(.loopback, port: 0))
        let unresolved = Endpoint.host(try HostName("localhost"), port: 1)
        for _ in 0..<1000 { socket.send([1], to: unresolved) }
        #expect(socket.counters.datagramsRefused == 1000)
        let log = DatagramLog(activating: socket)
        expectEventually(log.failures) { !$0.isEmpty }
        drain(socket.queue)
        #expect(log.failures.value.count == 64)
        closeAndWait(socket)
    }

    @Test("A Unix socket with a path answers named peers, and removes its file")
    func unixPath() throws {
        let folder = "/tmp/ring-datagrams-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        #expect(mkdir(folder, 0o700) == 0)
        defer { rmdir(folder) }
        let server = try DatagramSocket(.unix(try UnixAddress(path: folder + "/server")))
        let senders = Watched<[Endpoint?]>([])
        let log = DatagramLog()
        server.setReceiveHandler { socket, batch in
            batch.forEach { datagram, bytes in
                senders.append(datagram.sender)
                socket.reply(bytes, to: datagram)
            }
        }
        server.setErrorHandler { _, failure in log.failures.append(failure) }
        server.activate()
        let endpoint = try #require(server.localEndpoint)
        let local = Endpoint.unix(try UnixAddress(path: folder + "/client"))
        let client = try DatagramSocket(connectingTo: endpoint, from: local)
        let answers = DatagramLog(activating: client)
        client.send([1, 2])
        expectEventually(answers.datagrams) { $0 == [[1, 2]] }
        let nameless = try DatagramSocket(connectingTo: endpoint)
        nameless.activate()
        nameless.send([3])
        expectEventually(senders) { $0 == [local, nil] }
        expectEventually(log.failures) { $0.first?.cause.code.rawValue == EDESTADDRREQ }
        closeAndWait(server, client, nameless)
        #expect(access(folder + "/server", F_OK) != 0)
        #expect(access(folder + "/client", F_OK) != 0)
    }

    @Test("Closing a socket that was full sends what the kernel takes by then")
    func closeAfterFull() throws {
        let (descriptor, peer) = PlainDatagrams.pair()
        let socket = DatagramSocket(adopting: descriptor)
        socket.activate()
        // In one block of the queue: the socket does not learn that the kernel has room again.
        let sent = socket.queue.sync { () -> UInt64 in
            for _ in 0..<500 { socket.send([1]) }
            #expect(socket.queuedBytes > 0)
            let taken = socket.counters.datagramsSent
            for _ in 0..<taken { #expect(peer.receive() == [1]) }
            socket.close()
            return socket.counters.datagramsSent - taken
        }
        #expect(sent > 0)
        for _ in 0..<sent { #expect(peer.receive() == [1]) }
    }

    @Test("Waiting datagrams are dropped and counted when the socket is closed")
    func closeWhileFull() throws {
        let (descriptor, peer) = PlainDatagrams.pair()
        let socket = DatagramSocket(adopting: descriptor)
        socket.activate()
        for _ in 0..<500 { socket.send([1]) }
        let waiting = socket.queue.sync { socket.queuedBytes } / 65
        #expect(waiting > 0)
        let dropped = Watched<UInt64?>(nil)
        socket.setCloseHandler { socket, error in
            #expect(error == nil)
            let count = socket.counters.datagramsDropped
            dropped.update { $0 = count }
        }
        socket.close()
        expectEventually(dropped) { $0 == UInt64(waiting) }
        #expect(peer.receive() == [1])
        // After the close, sends are only counted.
        socket.send([2])
        #expect(socket.countersNow.datagramsDropped == UInt64(waiting) + 1)
    }
}

/// Endpoints for a sender, a peer that becomes full, and one that receives.
private struct UnixNames {
    let sender: Endpoint
    let full: Endpoint
    let good: Endpoint

    init() throws {
        let name = "ring-datagrams-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        sender = .unix(try UnixAddress(abstractName: name))
        full = .unix(try UnixAddress(abstractName: name + "-full"))
        good = .unix(try UnixAddress(abstractName: name + "-good"))
    }
}
