import Glibc
import LinuxPlatform
@testable import RingDispatch
@testable import RingNetwork
import Testing

@Suite("Endpoints of listeners", .watchdog)
struct ListenerEndpointTests {
    private func fileMode(_ path: String) -> UInt32? {
        var facts = stat()
        return lstat(path, &facts) == 0 ? facts.st_mode & 0o7777 : nil
    }

    @Test("Several endpoints share one handler and one limit", arguments: [Int.max, 2])
    func several(limit: Int) throws {
        let path = makeSocketPath()
        let name = try UnixAddress(abstractName: path)
        var options = ListenerOptions()
        options.connectionLimit = limit
        let listener = try Listener(
            [
                .ipv4(.loopback, port: 0), .ipv4(IPv4Address(127, 0, 0, 3), port: 0),
                .unix(try UnixAddress(path: path)), .unix(name),
            ], options: options)
        #expect(listener.endpoints.count == 4)
        #expect(listener.endpoints.prefix(2).allSatisfy { $0.port ?? 0 != 0 })
        #expect(listener.endpoint == listener.endpoints[0])
        serveEcho(listener)
        for round in 0..<3 {
            for endpoint in listener.endpoints {
                let connection = try Connector.shared.connection(to: endpoint)
                let client = Client(connection)
                #expect(client.echoes(patterned(1000, seed: round)))
                connection.close()
                #expect(client.closed.wait() != nil)
            }
        }
        #expect(listener.queue.sync { listener.acceptedConnections } == 12)
        stop(listener)
        // Other programs may have taken the ports by now, and a process that another test starts
        // holds all sockets until its exec.
        for endpoint in listener.endpoints where endpoint.port == nil {
            #expect(poll { Connector.shared.error(of: endpoint) != nil })
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test("An accepted connection knows both ends, wherever its listener listens")
    func endsOfAccepted() throws {
        let local = IPAddress.v4(IPv4Address(127, 0, 0, 4))
        let (all4, all6) = (IPAddress.v4(.any), IPAddress.v6(.any))
        let mapped = IPAddress.v6(IPv6Address(mapping: IPv4Address(127, 0, 0, 4)))
        for (address, target) in [
            (local, local), (all4, local), (.v6(.loopback), .v6(.loopback)),
            (all6, .v6(.loopback)), (all6, mapped), (mapped, mapped),
        ] {
            let listener = try Listener(Endpoint(address, port: 0))
            let ends = Outcome<[Endpoint?]>()
            listener.setConnectionHandler { connection in
                ends.set([connection.localEndpoint, connection.remoteEndpoint])
                connection.close()
            }
            listener.activate()
            let client = try Connector.shared.connection(to: Endpoint(target, port: listener.port))
            #expect(ends.wait() == [client.remoteEndpoint, client.localEndpoint])
            #expect(client.remoteEndpoint == Endpoint(target, port: listener.port))
            client.close()
            stop(listener)
        }
    }

    @Test("The queue of an accepted connection is named after the endpoint of its listener")
    func labels() throws {
        let path = try UnixAddress(path: makeSocketPath())
        let listener = try Listener([.ipv4(.loopback, port: 0), .unix(path)])
        let labels = Watched<[String]>([])
        listener.setConnectionHandler { connection in
            labels.append(connection.queue.label)
            connection.close()
        }
        listener.activate()
        for endpoint in listener.endpoints {
            let client = try Connector.shared.connection(to: endpoint)
            expectEventually(labels) { $0.last == "connection of \(endpoint)" }
            client.close()
        }
        stop(listener)
    }

    @Test("Without an error handler, a failure to accept is logged")
    func unhandledError() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let lines = Watched<[String]>([])
            Diagnostics.setReceiver { if $0 == .warning { lines.append($1) } }
            let listener = try Listener(.ipv4(.loopback, port: 0))
            listener.activate()
            // After shutdown(2) the socket does not listen: accept fails with EINVAL.
            shutdown(listener.sockets[0].descriptor, Int32(SHUT_RDWR))
            expectEventually(lines) {
                $0.count == 1 && $0[0].hasPrefix("cannot accept at \(listener.endpoint): ")
            }
        }
    }

    @Test("A connection whose peer has left before it was accepted knows that peer")
    func peerThatLeft() throws {
        let listener = try Listener(.ipv4(.loopback, port: 0))
        let seen = Outcome<Endpoint?>()
        listener.setConnectionHandler { connection in
            seen.set(connection.remoteEndpoint)
            connection.close()
        }
        // The kernel accepts for the listener meanwhile.
        let client = try Connector.shared.connection(to: listener.endpoint)
        let end = try #require(client.localEndpoint)
        #expect(poll { listener.queue.sync { listener.sockets[0].waitingCount } == 1 })
        client.abort()
        listener.activate()
        #expect(seen.wait() == end)
        stop(listener)
    }

    @Test(
        "Accepted connections send small messages at once, unless configured otherwise",
        arguments: [true, false])
    func noDelay(_ isOn: Bool) throws {
        let listener = try Listener(.ipv4(.loopback, port: 0)) { $0.socket.noDelay = isOn }
        let seen = Outcome<Bool>()
        listener.setConnectionHandler { connection in
            seen.set(socketOption(connection.descriptor, IPPROTO_TCP, TCP_NODELAY) == 1)
            connection.close()
        }
        listener.activate()
        let connection = try Connector.shared.connection(to: listener.endpoint)
        #expect(seen.wait() == isOn)
        connection.abort()
        stop(listener)
    }

    @Test("When one of several endpoints fails, all are closed")
    func partlyTaken() throws {
        let taken = try makeEchoListener()
        let path = makeSocketPath()
        #expect(throws: ListenerError.self) {
            try Listener([.unix(try UnixAddress(path: path)), taken.endpoint])
        }
        #expect(access(path, F_OK) != 0)
        stop(taken)
    }

    @Test("The file of a Unix socket has the requested mode", arguments: [0o600, 0o666])
    func mode(_ mode: UInt32) throws {
        let path = makeSocketPath()
        let endpoint = Endpoint.unix(try UnixAddress(path: path))
        let listener = try makeEchoListener(endpoint) { $0.unixSocketMode = mode }
        #expect(fileMode(path) == mode)
        stop(listener)
    }

    @Test(
        "Errors for lack of descriptors name the limit",
        arguments: [
            (EMFILE, "raise RLIMIT_NOFILE (ulimit -n)"), (ENFILE, "raise fs.file-max (sysctl)"),
        ])
    func shortage(code: Int32, remedy: String) {
        let error = ListenerError(
            .ipv4(.loopback, port: 80), SystemError(call: "accept", code: code))
        #expect(error.description.hasPrefix("cannot accept at 127.0.0.1:80: accept failed: "))
        #expect(error.description.contains(remedy), "\(error)")
    }

    @Test("Without /proc, the error of a file's mode says so")
    func modeWithoutProc() async {
        await #expect(processExitsWith: .success) {
            let folder = Folder()
            // As root only.
            guard chroot(folder.path) == 0 else { return }
            let endpoint = Endpoint.unix(try UnixAddress(path: "/socket"))
            let error = #expect(throws: ListenerError.self) {
                try Listener(endpoint) { $0.unixSocketMode = 0o666 }
            }
            #expect(error?.description.contains("mount /proc") == true, "\(error!)")
            _exit(0)
        }
    }

    @Test("The file has its mode after the main thread has ended, too")
    func modeWithoutMainThread() async {
        await #expect(processExitsWith: .success) {
            endMainThread()
            let endpoint = Endpoint.unix(try UnixAddress(path: makeSocketPath()))
            stop(try makeEchoListener(endpoint) { $0.unixSocketMode = 0o666 })
        }
    }

    @Test("When the last endpoint fails for good, the listener closes")
    func lastFails() async throws {
        let listener = try Listener([.ipv4(.loopback, port: 0), .ipv4(.loopback, port: 0)])
        let errors = Watched<[ListenerError]>([])
        listener.setErrorHandler { _, error in errors.append(error) }
        let closed = Watched<[ListenerError?]>([])
        listener.setCloseHandler { _, error in closed.append(error) }
        let server = ownTask { await listener.run { try await echoSpans($0) } }
        let wire = Wire.connect(to: listener.port)
        #expect(wire.echoes([1]))
        Glibc.shutdown(listener.sockets[0].descriptor, Int32(SHUT_RDWR))
        expectEventually(errors) { $0.count == 1 }
        #expect(wire.echoes([2]))
        #expect(Wire.connect(to: listener.endpoints[1].port ?? 0).echoes([3]))
        Glibc.shutdown(listener.sockets[1].descriptor, Int32(SHUT_RDWR))
        expectEventually(errors) { $0.count == 2 && $0.allSatisfy(\.isFinal) }
        expectEventually(closed) { $0.map(\.?.endpoint) == [listener.endpoints[1]] }
        #expect(wire.echoes([4]))
        wire.close()
        try await server.value
    }

    @Test("The close handler is called once, also beside run")
    func closeHandler() async throws {
        let listener = try makeAsyncListener()
        let server = ownTask { await listener.run { try await echoSpans($0) } }
        #expect(Wire.connect(to: listener.port).echoes([1]))
        let closed = Watched<[ListenerError?]>([])
        listener.setCloseHandler { _, error in closed.append(error) }
        for _ in 0..<2 { stop(listener) }
        try await server.value
        #expect(closed.value.count == 1 && closed.value.first.flatMap { $0 } == nil)
    }

    @Test("An error is final unless descriptors or memory are short")
    func isFinal() {
        for (code, isFinal) in [(EMFILE, false), (ENOMEM, false), (EINVAL, true)] {
            let error = SystemError(call: "accept", code: code)
            #expect(ListenerError(.ipv4(.loopback, port: 1), error).isFinal == isFinal)
        }
        let error = SystemError(call: "socket", code: EMFILE)
        #expect(ListenerError(.ipv4(.loopback, port: 1), error).isFinal)
    }

    @Test("A stale socket file is replaced, unless that is turned off")
    func stale() throws {
        let path = makeSocketPath()
        let endpoint = Endpoint.unix(try UnixAddress(path: path))
        // A stale socket file.
        let gone = Blackhole.bindUnix(path)
        close(gone)
        let error = #expect(throws: ListenerError.self) {
            try Listener(endpoint) { $0.replacesStaleUnixSocket = false }
        }
        #expect(error?.cause.code == .addressInUse)
        #expect(error.map { "\($0)".contains("replacesStaleUnixSocket") } == true)
        let listener = try makeEchoListener(endpoint)
        // Not while another server answers there, even if it does not accept.
        let busy = #expect(throws: ListenerError.self) { try Listener(endpoint) }
        #expect(busy?.cause.remedy.hasPrefix("another server listens there: stop it") == true)
        try Connector.shared.expectEcho(from: endpoint)
        stop(listener)
        #expect(access(path, F_OK) != 0)
    }

    @Test("A file that is not a socket is never removed")
    func notASocket() throws {
        let path = makeSocketPath()
        let file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        close(file)
        defer { unlink(path) }
        let error = #expect(throws: ListenerError.self) {
            try Listener(.unix(UnixAddress(path: path)))
        }
        #expect(error?.cause.remedy.contains("not a socket") == true, "\(error!)")
        #expect(access(path, F_OK) == 0)
        let link = makeSocketPath()
        symlink(path, link)
        defer { unlink(link) }
        #expect(throws: ListenerError.self) { try Listener(.unix(UnixAddress(path: link))) }
        #expect(fileMode(link) != nil)
    }

    @Test("A file that another server has put in place is kept")
    func replaced() throws {
        let path = makeSocketPath()
        let endpoint = Endpoint.unix(try UnixAddress(path: path))
        let first = try makeEchoListener(endpoint)
        unlink(path)
        let second = try makeEchoListener(endpoint)
        stop(first)
        #expect(access(path, F_OK) == 0)
        stop(second)
        #expect(access(path, F_OK) != 0)
    }

    @Test("Connections are spread over the event loops, and all serve")
    func loops() throws {
        let loops = Watched<Set<Int>>([])
        let listener = try makeListener { connection in
            loops.update { loops in
                _ = loops.insert(connection.stream.loop.index)
            }
        }
        let count = Runtime.shared.pool.loops.count
        let wires = (0..<8 * count).map { _ in Wire.connect(to: listener.port) }
        for wire in wires { #expect(wire.send([1])) }
        for wire in wires { #expect(wire.receive(1) == [1]) }
        // Other tests make connections, too.
        #expect(loops.value.count > 1 || count == 1)
        stop(listener)
    }

    @Test("A listener that is stopped before it is active, or dropped, closes its sockets")
    func neverActive() throws {
        let path = makeSocketPath()
        let endpoint = Endpoint.unix(try UnixAddress(path: path))
        do {
            let dropped = try Listener(endpoint)
            #expect(dropped.endpoints == [endpoint])
        }
        #expect(access(path, F_OK) != 0)
        let stopped = try Listener(endpoint)
        stop(stopped)
        stop(stopped)
        #expect(access(path, F_OK) != 0)
    }

    @Test("A permanent accept error is reported, and the other endpoints go on")
    func brokenPoint() throws {
        let listener = try Listener(
            [.ipv4(.loopback, port: 0), .ipv4(IPv4Address(127, 0, 0, 4), port: 0)])
        let reported = Outcome<ListenerError>()
        listener.setErrorHandler { reported.set($1) }
        serveEcho(listener)
        // After shutdown(2) the socket does not listen: accept fails with EINVAL.
        shutdown(listener.sockets[0].descriptor, Int32(SHUT_RDWR))
        let error = reported.wait()
        #expect(error?.cause.code.rawValue == EINVAL)
        #expect(error?.endpoint == listener.endpoints[0])
        #expect(error.map { "\($0)".contains("cannot accept at 127.0.0.1") } == true)
        try Connector.shared.expectEcho(from: listener.endpoints[1])
        stop(listener)
    }
}
