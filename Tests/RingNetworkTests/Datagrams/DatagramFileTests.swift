import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("The files of Unix datagram sockets", .watchdog)
struct DatagramFileTests {
    @Test("A stale file is replaced, unless that is turned off")
    func stale() throws {
        let path = makeSocketPath()
        let endpoint = Endpoint.unix(try UnixAddress(path: path))
        Glibc.close(Blackhole.bindUnix(path, SOCK_DGRAM))
        var options = DatagramOptions()
        options.replacesStaleUnixSocket = false
        let error = #expect(throws: DatagramSocketError.self) {
            try DatagramSocket(endpoint, options: options)
        }
        #expect(error?.cause.code == .addressInUse)
        #expect(error.map { "\($0)".contains("replacesStaleUnixSocket") } == true)
        // A process that another test starts holds the closed socket until its exec.
        var socket: DatagramSocket?
        #expect(
            poll {
                socket = try? DatagramSocket(endpoint)
                return socket != nil
            })
        closeAndWait(try #require(socket))
        #expect(access(path, F_OK) != 0)
    }

    @Test("The file has the requested mode", arguments: [0o600, 0o666])
    func mode(_ mode: UInt32) throws {
        let path = makeSocketPath()
        var options = DatagramOptions()
        options.unixSocketMode = mode
        let socket = try DatagramSocket(.unix(UnixAddress(path: path)), options: options)
        var facts = stat()
        #expect(lstat(path, &facts) == 0 && facts.st_mode & 0o7777 == mode)
        closeAndWait(socket)
    }

    @Test("The file of a socket that receives, and other files, are kept")
    func used() throws {
        let path = makeSocketPath()
        let endpoint = Endpoint.unix(try UnixAddress(path: path))
        let first = try DatagramSocket(endpoint)
        let busy = #expect(throws: DatagramSocketError.self) { try DatagramSocket(endpoint) }
        #expect(busy?.cause.code == .addressInUse)
        #expect(busy?.cause.remedy.hasPrefix("another program receives there: stop it") == true)
        closeAndWait(first)
        let listener = try Listener(endpoint)
        #expect(throws: DatagramSocketError.self) { try DatagramSocket(endpoint) }
        try Connector.shared.connection(to: endpoint).close()
        stop(listener)
        Glibc.close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        defer { unlink(path) }
        let file = #expect(throws: DatagramSocketError.self) { try DatagramSocket(endpoint) }
        #expect(file?.cause.remedy.contains("not a socket") == true, "\(file!)")
        #expect(access(path, F_OK) == 0)
    }

    @Test("A socket that cannot be connected leaves no file")
    func unconnected() throws {
        let path = makeSocketPath()
        let peer = try Endpoint("unix:\(makeSocketPath())")
        #expect(throws: DatagramSocketError.self) {
            try DatagramSocket(connectingTo: peer, from: Endpoint("unix:\(path)"))
        }
        #expect(access(path, F_OK) != 0)
    }
}
