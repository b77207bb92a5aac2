import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("The life of datagram sockets", .watchdog)
struct DatagramLifeTests {
    /// In a process that starts no other, because each fork holds all descriptors until its exec.
    @Test("The close handler is called once, when the descriptor is closed, and nothing after it")
    func close() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let socket = try DatagramSocket.local()
            let log = DatagramLog(activating: socket)
            let client = PlainDatagrams()
            client.send([1], to: socket.port)
            expectEventually(log.datagrams) { !$0.isEmpty }
            let endpoint = try #require(socket.localEndpoint)
            let isFree = Watched<[Bool]>([])
            socket.setCloseHandler { _, error in
                #expect(error == nil)
                isFree.append((try? DatagramSocket(endpoint)) != nil)
            }
            socket.close()
            socket.close()
            expectEventually(isFree) { $0 == [true] }
            socket.close()
            socket.queue.sync {}
            expectStays(isFree, at: [true])
        }
    }

    /// In a process that starts no other, because each fork holds all descriptors until its exec.
    @Test("A socket that is closed or released before its activation leaves nothing open")
    func neverActivated() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let socket = try DatagramSocket.local()
            let endpoint = try #require(socket.localEndpoint)
            closeAndWait(socket)
            _ = try DatagramSocket(endpoint)
            // The first socket was released.
            let again = try DatagramSocket(endpoint)
            closeAndWait(again)
        }
    }

    @Test("An active socket lives exactly until it is closed")
    func lifetime() throws {
        weak var weakSocket: DatagramSocket?
        let client = PlainDatagrams()
        var port: UInt16 = 0
        do {
            let socket = try DatagramSocket.echo()
            weakSocket = socket
            port = socket.port
        }
        client.send([1], to: port)
        #expect(client.receive() == [1])
        #expect(weakSocket != nil)
        weakSocket?.close()
        #expect(poll { weakSocket == nil })
    }

    @Test("Handlers that are set on a closed socket are released")
    func lateHandlers() throws {
        weak var weakSocket: DatagramSocket?
        do {
            let socket = try DatagramSocket.echo()
            weakSocket = socket
            closeAndWait(socket)
            socket.setHandlers(
                DatagramHandlers(receive: { [socket] _, _ in _ = socket.localEndpoint }))
            socket.setErrorHandler { [socket] _, _ in _ = socket.localEndpoint }
            socket.setCloseHandler { [socket] _, _ in _ = socket.localEndpoint }
        }
        #expect(poll { weakSocket == nil })
    }

    @Test("A handler may close its socket; earlier sends still go out")
    func closeInHandler() throws {
        let socket = try DatagramSocket.local()
        let closed = Gate()
        let calls = Watched(0)
        let client = PlainDatagrams()
        for number in 0..<100 { client.send([UInt8(number)], to: socket.port) }
        socket.setReceiveHandler { socket, batch in
            calls.increment()
            batch.forEach { socket.reply($1, to: $0) }
            socket.close()
            socket.send([42], to: client.endpoint)
        }
        socket.setCloseHandler { _, _ in closed.open() }
        socket.activate()
        expectOpens(closed)
        #expect(calls.value == 1)
        for number in 0..<32 { #expect(client.receive() == [UInt8(number)]) }
        #expect(client.receiveNow() == nil)
        #expect(socket.countersNow.datagramsDropped == 1)
    }

    @Test("Sockets that are closed under load never touch those that get their numbers")
    func reuse() throws {
        let stop = Watched(false)
        let ports = Watched<[UInt16]>([])
        // A datagram that reaches a socket of another round must not be seen there.
        let threads = (0..<2).map { thread in
            UserThread {
                let plain = PlainDatagrams()
                while !stop.value {
                    for port in ports.value { plain.send([UInt8(thread)], to: port) }
                    while plain.receiveNow() != nil {}
                }
            }
        }
        var sockets: [DatagramSocket] = []
        for _ in 0..<(isDeep ? 150 : 40) {
            let made = try (0..<4).map { _ in try DatagramSocket.echo() }
            sockets += made
            ports.update { $0 = sockets.map(\.port) }
            let closing = sockets.prefix(max(0, sockets.count - 4))
            let closed = Watched(0)
            for socket in closing {
                socket.setCloseHandler { _, error in
                    #expect(error == nil)
                    closed.increment()
                }
                socket.close()
            }
            sockets.removeFirst(closing.count)
            ports.update { $0 = sockets.map(\.port) }
            // A new socket with a reused number works: its first datagram is echoed.
            let client = PlainDatagrams()
            for socket in made {
                // Under load some are dropped.
                #expect(
                    poll {
                        client.send([7], to: socket.port)
                        letTimePass(milliseconds: 1)
                        return client.receiveNow() == [7]
                    })
            }
            expectEventually(closed) { $0 == closing.count }
        }
        stop.update { $0 = true }
        for thread in threads { #expect(thread.join()) }
        for socket in sockets { closeAndWait(socket) }
    }

    @Test("A rule, or closing one socket, ends an echo between two echo sockets")
    func loop() throws {
        let one = try DatagramSocket.echo()
        let other = try DatagramSocket.echo()
        let target = try #require(other.localEndpoint)
        one.send([1], to: target)
        #expect(poll { one.countersNow.datagramsReceived > 1000 })
        // The echo does not starve other work.
        let client = PlainDatagrams()
        client.send([2], to: other.port)
        #expect(client.receive() == [2])
        var rule = DatagramAnswerRule()
        rule.refusedPorts = [other.port]
        one.setReceiveHandler { [rule] socket, batch in
            batch.forEach { datagram, bytes in
                if rule.allows(datagram, on: socket) { socket.reply(bytes, to: datagram) }
            }
        }
        drain(one.queue)
        #expect(
            poll {
                let before = other.countersNow
                letTimePass(milliseconds: 5)
                return before == other.countersNow
            })
        client.send([3], to: one.port)
        #expect(client.receive() == [3])
        closeAndWait(one, other)
    }

    @Test("A server answers neither low ports nor its own by default")
    func rule() throws {
        var open = DatagramAnswerRule()
        open.answersOwnPort = true
        for (rule, isAnswered) in [(DatagramAnswerRule(), false), (open, true)] {
            let socket = try DatagramSocket.echo(rule: rule)
            // Another address, the same port.
            let twin = try DatagramSocket(
                .ipv4(IPv4Address(127, 0, 0, 9), port: socket.port))
            let log = DatagramLog(activating: twin)
            twin.send([1], to: .ipv4(.loopback, port: socket.port))
            #expect(poll { socket.countersNow.datagramsReceived == 1 })
            if isAnswered {
                expectEventually(log.datagrams) { $0 == [[1]] }
            } else {
                #expect(socket.countersNow.datagramsSent == 0)
            }
            closeAndWait(twin, socket)
        }
    }

    @Test("A Unix socket whose peer has left it loses none of the peer's datagrams")
    func errorOfUnixSocket() {
        let (descriptor, peer) = PlainDatagrams.pair()
        var options = DatagramOptions()
        options.receiveBatch = 1
        options.batchesInARow = 1
        let socket = DatagramSocket(adopting: descriptor, options: options)
        for number in 1...5 { peer.sendConnected([UInt8(number)]) }
        // The peer leaves without having read this one: an error (POLLERR) for the socket.
        socket.send([0])
        var nobody = sockaddr()
        #expect(
            Glibc.connect(peer.descriptor, &nobody, socklen_t(MemoryLayout.size(ofValue: nobody)))
                == 0)
        let log = DatagramLog(activating: socket)
        expectEventually(log.datagrams) { $0 == [[1], [2], [3], [4], [5]] }
        closeAndWait(socket)
    }

    @Test("A socket may be activated while datagrams arrive that it cannot answer at once")
    func activatedUnderLoad() {
        onThreads(4) { _ in
            for _ in 0..<(isDeep ? 500 : 50) {
                let (descriptor, peer) = PlainDatagrams.pair()
                for number in 0..<8 { peer.sendConnected([UInt8(number)]) }
                let socket = DatagramSocket(adopting: descriptor)
                socket.setReceiveHandler { socket, batch in
                    batch.forEach { socket.reply($1, to: $0) }
                }
                for number in 0..<6 { socket.send([UInt8(100 + number)]) }
                socket.activate()
                for number in 0..<6 { #expect(peer.receive() == [UInt8(100 + number)]) }
                for number in 0..<8 { #expect(peer.receive() == [UInt8(number)]) }
                closeAndWait(socket)
            }
        }
    }

    @Test("A socket whose error queue fills up does not spin, and still receives")
    func errorQueue() throws {
        let number = Watched<Int32>(-1)
        let socket = try DatagramSocket.local {
            $0.prepare = { descriptor in
                number.update { $0 = descriptor }
                // IP_RECVERR: errors wait in the error queue, which keeps the socket ready.
                setSocketOption(descriptor, Int32(IPPROTO_IP), 11, 1)
            }
        }
        let log = DatagramLog(activating: socket)
        let reserved = PlainDatagrams()
        // A connected socket holds the port, and the kernel refuses other senders.
        connect(reserved.descriptor, to: reserved.port)
        for _ in 0..<10 { socket.send([1], to: reserved.endpoint) }
        expectEventually(log.failures) { $0.first?.cause.code == .connectionRefused }
        // An error that stays in the queue would keep the socket ready.
        var entry = pollfd(fd: number.value, events: 0, revents: 0)
        #expect(poll { Glibc.poll(&entry, 1, 0) == 0 })
        let client = PlainDatagrams()
        client.send([2], to: socket.port)
        expectEventually(log.datagrams) { $0 == [[2]] }
        closeAndWait(socket)
    }
}
