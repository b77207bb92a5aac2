import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("Endpoints of connectors", .watchdog)
struct ConnectorEndpointTests {
    @Test("Unix sockets: a path, and an abstract name", arguments: [true, false])
    func unix(isAbstract: Bool) throws {
        let path = makeSocketPath()
        let endpoint = Endpoint.unix(
            isAbstract ? try UnixAddress(abstractName: path) : try UnixAddress(path: path))
        let listener = try makeEchoListener(endpoint)
        try Connector.shared.expectEcho(of: patterned(50_000), from: endpoint)
        stop(listener)
        // A process that another test starts holds the socket until its exec.
        let expected = isAbstract ? ErrorNumber.connectionRefused : .noSuchFileOrDirectory
        #expect(
            poll { Connector.shared.error(of: endpoint)?.attempts.first?.cause.code == expected })
    }

    @Test("A Unix socket whose backlog is full is tried again until there is room")
    func busyUnixSocket() throws {
        let endpoint = Endpoint.unix(try UnixAddress(abstractName: makeSocketPath()))
        let listener = try Listener(endpoint) { $0.backlog = 1 }
        let clients = Watched<[Client]>([])
        for _ in 0..<10 {
            Connector.shared.connect(to: endpoint, queue: .global()) { result in
                if case .success(let connection) = result { clients.append(Client(connection)) }
            }
        }
        expectEventually(clients) { $0.count == 2 }
        let error = Connector { $0.timeout = .milliseconds(20) }.error(of: endpoint)
        #expect(error?.attempts.count == 1)
        serveEcho(listener)
        expectEventually(clients) { $0.count == 10 }
        for client in clients.value {
            #expect(client.echoes([1, 2]))
            client.connection.close()
        }
        stop(listener)
    }

    @Test("Connections use the local endpoint")
    func local() throws {
        let peer = Outcome<Endpoint?>()
        let listener = try makeListener { peer.set($0.remoteEndpoint) }
        let connector = Connector {
            $0.localEndpoint = .ipv4(IPv4Address(127, 0, 0, 5), port: 0)
        }
        let connection = try connector.connection(to: listener.endpoint)
        #expect(peer.wait()??.ipAddress == .v4(IPv4Address(127, 0, 0, 5)))
        connection.activate()
        connection.close()
        stop(listener)
    }

    @Test("An unusable local endpoint is an error with a remedy")
    func wrongLocal() throws {
        var options = ConnectorOptions()
        options.localEndpoint = .ipv6(.loopback, port: 0)
        let target = Endpoint.ipv4(.loopback, port: 1)
        var error = try #require(Connector(options: options).error(of: target))
        #expect(error.attempts.map(\.cause.code.rawValue) == [EAFNOSUPPORT])
        options.localEndpoint = .ipv4(IPv4Address(192, 0, 2, 1), port: 0)
        error = try #require(Connector(options: options).error(of: target))
        #expect(error.attempts.map(\.cause.code) == [.addressNotAvailable])
        #expect("\(error)".contains("ip address"))
        options.localEndpoint = try Endpoint("server.test:0")
        error = try #require(Connector(options: options).error(of: target))
        guard case .invalidEndpoint = error.reason else { throw error }
    }

    @Test("The local endpoint of a Unix socket is an abstract name, not a path")
    func localUnix() throws {
        let path = makeSocketPath()
        let peer = Outcome<Endpoint?>()
        let listener = try Listener(.unix(try UnixAddress(abstractName: path)))
        serveEcho(listener) { peer.set($0.remoteEndpoint) }
        var options = ConnectorOptions()
        options.localEndpoint = .unix(try UnixAddress(path: path))
        let error = try #require(Connector(options: options).error(of: listener.endpoint))
        guard case .invalidEndpoint(let cause) = error.reason else { throw error }
        #expect(cause.reason == .localUnixPath)
        #expect("\(error)".contains("abstract name"))
        #expect(access(path, F_OK) != 0)
        let name = Endpoint.unix(try UnixAddress(abstractName: "\(path)-client"))
        options.localEndpoint = name
        let connector = Connector(options: options)
        let connection = try connector.connection(to: listener.endpoint)
        #expect(peer.wait() == .some(name))
        let taken = try #require(connector.error(of: listener.endpoint))
        #expect(taken.attempts.map(\.cause.code) == [.addressInUse])
        #expect("\(taken)".contains("another abstract name"))
        connection.activate()
        connection.close()
        stop(listener)
    }

    /// In a process that starts no other, because each fork holds all descriptors until its exec.
    @Test("A socket that connects to itself is an error")
    func selfConnection() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            // A free port.
            let listener = try Listener(.ipv4(.loopback, port: 0))
            let endpoint = listener.endpoint
            stop(listener)
            let connector = Connector { $0.localEndpoint = endpoint }
            let error = try #require(connector.error(of: endpoint))
            #expect(error.attempts.map(\.cause.code) == [.connectionRefused])
        }
    }

    @Test("The program's own options are set before the socket is connected")
    func prepared() throws {
        let listener = try makeEchoListener()
        let connector = Connector {
            $0.socket.prepare = { descriptor in
                setSocketOption(descriptor, SOL_SOCKET, SO_RCVBUF, 10_000)
                #expect(socketOption(descriptor, IPPROTO_TCP, TCP_NODELAY) == 1)
            }
        }
        try connector.expectEcho(from: listener.endpoint)
        stop(listener)
    }
}
