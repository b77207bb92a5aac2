import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("Datagram sockets", .watchdog)
struct DatagramSocketTests {
    @Test("Datagrams, even empty ones, are echoed and counted")
    func echo() throws {
        let socket = try DatagramSocket.echo()
        let client = PlainDatagrams()
        var bytes = 0
        for round in 0..<200 {
            let datagrams = (0..<16).map { patterned(($0 * 97 + round * 13) % 1400, seed: $0) }
            for datagram in datagrams { #expect(client.send(datagram, to: socket.port)) }
            for datagram in datagrams {
                expectSame(client.receive(), datagram)
                bytes += datagram.count
            }
        }
        let counters = socket.countersNow
        #expect(counters.datagramsReceived == 3200)
        #expect(counters.datagramsSent == 3200)
        #expect(counters.bytesReceived == UInt64(bytes))
        #expect(counters.bytesSent == UInt64(bytes))
        #expect(counters.datagramsTruncated == 0)
        #expect(counters.datagramsDropped == 0 && counters.datagramsRefused == 0)
        closeAndWait(socket)
    }

    @Test("The longest datagram passes whole")
    func longest() throws {
        let socket = try DatagramSocket.echo()
        let client = PlainDatagrams()
        let datagram = patterned(65_507)
        #expect(client.send(datagram, to: socket.port))
        expectSame(client.receive(), datagram)
        closeAndWait(socket)
    }

    @Test("Datagrams that wait are received by one call, and answered by one")
    func batches() throws {
        var options = DatagramOptions()
        options.receiveBatch = 8
        options.combinesSent = false
        let socket = try DatagramSocket(.ipv4(.loopback, port: 0), options: options)
        let client = PlainDatagrams()
        for number in 0..<20 { #expect(client.send([UInt8(number)], to: socket.port)) }
        let counts = Watched<[Int]>([])
        socket.setReceiveHandler { socket, batch in
            counts.append(batch.count)
            batch.forEach { socket.reply($1, to: $0) }
        }
        socket.activate()
        for number in 0..<20 { #expect(client.receive() == [UInt8(number)]) }
        expectEventually(counts) { $0 == [8, 8, 4] }
        #expect(socket.countersNow.sendCalls == 3)
        closeAndWait(socket)
    }

    @Test("A datagram that is too long is truncated and marked", arguments: [false, true])
    func truncation(combines: Bool) throws {
        var options = DatagramOptions()
        options.maximumDatagramBytes = 100
        options.combinesReceived = combines
        let socket = try DatagramSocket(.ipv4(.loopback, port: 0), options: options)
        let seen = Watched<[String]>([])
        socket.setReceiveHandler { _, batch in
            batch.forEach { datagram, bytes in
                seen.append("\(bytes.byteCount) \(datagram.isTruncated)")
            }
        }
        socket.activate()
        let client = PlainDatagrams()
        for count in [99, 100, 101, 0, 3000] { client.send(patterned(count), to: socket.port) }
        expectEventually(seen) {
            $0 == ["99 false", "100 false", "100 true", "0 false", "100 true"]
        }
        let counters = socket.countersNow
        #expect(counters.datagramsTruncated == 2)
        #expect(counters.bytesReceived == 399)
        closeAndWait(socket)
    }

    @Test("The sender is reported as an endpoint")
    func sender() throws {
        let socket = try DatagramSocket.local()
        let seen = Watched<[Endpoint?]>([])
        let ports = Watched<[UInt16]>([])
        socket.setReceiveHandler { _, batch in
            batch.forEach { datagram, _ in
                ports.append(datagram.senderPort)
                seen.append(datagram.sender)
            }
        }
        socket.activate()
        let client = PlainDatagrams()
        client.send([1], to: socket.port)
        expectEventually(seen) { $0 == [client.endpoint] }
        #expect(ports.value == [client.port])
        closeAndWait(socket)
    }

    @Test("A wildcard socket answers from the address that was asked")
    func localAddress() throws {
        for endpoint in [
            Endpoint.ipv4(.any, port: 0), .ipv6(.any, port: 0),
        ] {
            let socket = try DatagramSocket(endpoint)
            let seen = Watched<[IPAddress?]>([])
            socket.setReceiveHandler { socket, batch in
                batch.forEach { datagram, bytes in
                    seen.append(datagram.localAddress?.unmapped)
                    if bytes.byteCount > 1 {
                        socket.reply([9], along: datagram.returnPath)
                    } else {
                        socket.reply(bytes, to: datagram)
                    }
                }
            }
            socket.activate()
            let client = PlainDatagrams()
            // Of 127.0.0.0/8, and not the one that the kernel would choose.
            let other: UInt32 = 0x7f00_0003
            client.send([7], to: socket.port, host: other)
            let answer = client.receiveFrom()
            #expect(answer?.bytes == [7])
            #expect(answer?.host == other)
            client.send([7, 7], to: socket.port, host: other)
            let later = client.receiveFrom()
            #expect(later?.bytes == [9])
            #expect(later?.host == other)
            let address = IPAddress.v4(IPv4Address(rawValue: other))
            expectEventually(seen) { $0 == [address, address] }
            closeAndWait(socket)
        }
    }

    @Test("IPv6 on its own")
    func ipv6() throws {
        var options = DatagramOptions()
        options.isIPv6Only = true
        options.reportsLocalAddress = true
        let server = try DatagramSocket(.ipv6(.loopback, port: 0), options: options)
        let local = Watched<[IPAddress?]>([])
        server.setReceiveHandler { socket, batch in
            batch.forEach { datagram, bytes in
                local.append(datagram.localAddress)
                socket.reply(bytes, to: datagram)
            }
        }
        server.activate()
        let client = try DatagramSocket(
            connectingTo: .ipv6(.loopback, port: server.port))
        let log = DatagramLog(activating: client)
        client.send([1, 2, 3])
        expectEventually(log.datagrams) { $0 == [[1, 2, 3]] }
        #expect(local.value == [.v6(.loopback)])
        #expect(client.remoteEndpoint == server.localEndpoint)
        closeAndWait(client, server)
    }

    @Test("While receiving is paused the kernel buffers datagrams")
    func pause() throws {
        let socket = try DatagramSocket.local()
        let log = DatagramLog(activating: socket)
        let client = PlainDatagrams()
        client.send([1], to: socket.port)
        expectEventually(log.datagrams) { $0 == [[1]] }
        socket.pauseReceiving()
        socket.pauseReceiving()
        socket.resumeReceiving()
        socket.queue.sync {}
        client.send([2], to: socket.port)
        client.send([3], to: socket.port)
        expectStays(log.datagrams, at: [[1]])
        socket.resumeReceiving()
        expectEventually(log.datagrams) { $0 == [[1], [2], [3]] }
        closeAndWait(socket)
    }

    @Test("A handler may pause and resume again and again, and misses nothing")
    func pauseInHandler() throws {
        let socket = try DatagramSocket.local { $0.receiveBatch = 1 }
        let seen = Watched<[UInt8]>([])
        socket.setReceiveHandler { socket, batch in
            batch.forEach { _, bytes in
                seen.append(bytes.unsafeLoad(as: UInt8.self))
            }
            socket.pauseReceiving()
            socket.queue.async { socket.resumeReceiving() }
        }
        socket.activate()
        let client = PlainDatagrams()
        for number in 0..<100 { client.send([UInt8(number)], to: socket.port) }
        expectEventually(seen) { $0 == (0..<100).map { UInt8($0) } }
        closeAndWait(socket)
    }

    @Test("Datagrams that the kernel drops for lack of room are counted")
    func overflow() throws {
        let socket = try DatagramSocket.local { $0.receiveBufferBytes = 4096 }
        let log = DatagramLog(of: socket)
        let client = PlainDatagrams()
        for _ in 0..<500 { client.send(patterned(100), to: socket.port) }
        socket.activate()
        expectEventually(log.datagrams) { !$0.isEmpty }
        // A later datagram reports the loss, and may be lost, too.
        var sent = 500
        let isCounted = poll {
            client.send([1], to: socket.port)
            sent += 1
            return socket.countersNow.datagramsOverflowed > 0
        }
        #expect(isCounted)
        let counters = socket.countersNow
        #expect(Int(counters.datagramsOverflowed) < sent)
        #expect(counters.datagramsReceived + counters.datagramsOverflowed >= 500)
        closeAndWait(socket)
    }

    @Test("Sends from many threads all arrive, whole")
    func threads() throws {
        let server = try DatagramSocket.local { $0.receiveBufferBytes = 4 << 20 }
        let log = DatagramLog(activating: server)
        let client = try DatagramSocket.local()
        client.activate()
        let target = try #require(server.localEndpoint)
        let threads = (0..<4).map { thread in
            UserThread {
                for number in 0..<100 {
                    client.send([UInt8(thread), UInt8(number)], to: target)
                }
            }
        }
        for thread in threads { #expect(thread.join()) }
        expectEventually(log.datagrams) { $0.count == 400 }
        for thread in 0..<4 {
            let numbers = log.datagrams.value.filter { $0[0] == UInt8(thread) }.map { $0[1] }
            #expect(numbers == (0..<100).map { UInt8($0) })
        }
        closeAndWait(client, server)
    }

    @Test("A handler that blocks stops no other socket")
    func blocking() throws {
        let stuck = try DatagramSocket.local()
        let (entered, gate) = (Gate(), Gate())
        stuck.setReceiveHandler { _, _ in
            entered.open()
            gate.pass()
        }
        stuck.activate()
        let client = PlainDatagrams()
        client.send([1], to: stuck.port)
        expectOpens(entered)
        let others = try (0..<8).map { _ in try DatagramSocket.echo() }
        for round in 0..<20 {
            for other in others { client.send([UInt8(round)], to: other.port) }
            for _ in others { #expect(client.receive() == [UInt8(round)]) }
        }
        gate.open()
        closeAndWait(stuck)
        for other in others { closeAndWait(other) }
    }

    @Test("Two sockets may share a port only if both set the option")
    func sharedPort() throws {
        let first = try DatagramSocket.local()
        let endpoint = try #require(first.localEndpoint)
        do {
            _ = try DatagramSocket(endpoint)
            Issue.record("bound twice")
        } catch let error as DatagramSocketError {
            #expect(error.cause.code == .addressInUse)
            #expect("\(error)".contains("port 0"))
            #expect("\(error)".contains("\(endpoint)"))
        }
        var options = DatagramOptions()
        options.reusesPort = true
        #expect(throws: DatagramSocketError.self) {
            try DatagramSocket(endpoint, options: options)
        }
        closeAndWait(first)
        let one = try DatagramSocket(.ipv4(.loopback, port: 0), options: options)
        let other = try DatagramSocket(try #require(one.localEndpoint), options: options)
        #expect(one.port == other.port)
        #expect(throws: DatagramSocketError.self) {
            try DatagramSocket(try #require(one.localEndpoint))
        }
        closeAndWait(one)
        closeAndWait(other)
    }

    @Test("A socket that cannot be opened is an error with a remedy")
    func refusals() throws {
        func error(_ open: () throws -> DatagramSocket) -> String {
            do {
                try open().close()
                return "none"
            } catch {
                return "\(error)"
            }
        }
        let path = makeSocketPath()
        let lost = try Endpoint("unix:\(path)/socket")
        #expect(error { try DatagramSocket(lost) }.contains("create it first"))
        #expect(error { try DatagramSocket(connectingTo: lost) }.contains("no such socket"))
        let broadcast = try Endpoint("255.255.255.255:9")
        #expect(error { try DatagramSocket(connectingTo: broadcast) }.contains("allowsBroadcast"))
        let stream = try Endpoint("unix:\(path)")
        let other = Blackhole.bindUnix(path)
        defer {
            close(other)
            unlink(path)
        }
        #expect(error { try DatagramSocket(connectingTo: stream) }.contains("not a datagram"))
    }

    @Test("A Unix socket that cannot be connected leaves no file behind")
    func failedConnect() throws {
        let path = makeSocketPath()
        let local = try Endpoint("unix:\(path)")
        let nobody = try Endpoint("unix:\(path)-nobody")
        for _ in 0..<2 {
            let error = #expect(throws: DatagramSocketError.self) {
                try DatagramSocket(connectingTo: nobody, from: local)
            }
            #expect(error?.cause.code == .noSuchFileOrDirectory)
            #expect(error?.endpoint == nobody)
            #expect(access(path, F_OK) != 0)
        }
        let other = try DatagramSocket(local)
        #expect(throws: DatagramSocketError.self) {
            try DatagramSocket(connectingTo: nobody, from: local)
        }
        #expect(access(path, F_OK) == 0)
        closeAndWait(other)
    }

    @Test("A local endpoint that cannot be bound is named by the error")
    func takenLocalEndpoint() throws {
        let server = try DatagramSocket.local()
        let peer = try #require(server.localEndpoint)
        let other = try DatagramSocket.local()
        let taken = try #require(other.localEndpoint)
        let error = #expect(throws: DatagramSocketError.self) {
            try DatagramSocket(connectingTo: peer, from: taken)
        }
        #expect(error?.cause.code == .addressInUse)
        #expect(error?.endpoint == taken)
        closeAndWait(server, other)
    }
}
