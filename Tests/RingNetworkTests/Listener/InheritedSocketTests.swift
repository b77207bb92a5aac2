import Glibc
import RingDispatch
@testable import RingNetwork
import Testing

@Suite("Inherited sockets", .watchdog)
struct InheritedSocketTests {
    /// A socket that listens at a free port of the loopback address.
    private func makeListeningSocket() -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        precondition(listen(descriptor, 10) == 0, "errno \(errno)")
        return descriptor
    }

    /// Duplicates the socket to consecutive numbers without FD_CLOEXEC, as a service manager does,
    /// and returns the first. Takes no number from another test, because all share the table.
    private func numbersInARow(_ count: Int32, for socket: Int32) -> Int32 {
        var first = socket + 1
        while true {
            let numbers = (first..<first + count).map { fcntl(socket, F_DUPFD, $0) }
            precondition(!numbers.contains(-1), "errno \(errno)")
            if numbers == Array(first..<first + count) { return first }
            for number in numbers { close(number) }
            first = numbers[0] + 1
        }
    }

    @Test("A listener accepts from a socket that listens already, and does not block in it")
    func adopting() throws {
        for limit in [Int.max, 5] {
            let descriptor = makeListeningSocket()
            var options = ListenerOptions()
            options.connectionLimit = limit
            let listener = try Listener(adopting: descriptor, options: options)
            #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
            serveEcho(listener)
            let wire = Wire.connect(to: listener.port)
            #expect(wire.echoes([1, 2]))
            stop(listener)
        }
    }

    @Test("The file of a Unix socket that was adopted stays")
    func unixFile() throws {
        let path = makeSocketPath()
        let descriptor = Blackhole.bindUnix(path)
        defer { unlink(path) }
        #expect(listen(descriptor, 10) == 0)
        let listener = try Listener(adopting: descriptor)
        #expect(listener.endpoint == .unix(try UnixAddress(path: path)))
        serveEcho(listener)
        try Connector.shared.expectEcho(from: listener.endpoint)
        stop(listener)
        #expect(access(path, F_OK) == 0)
    }

    @Test("An unusable socket is an error with a reason, and remains the caller's")
    func wrongDescriptors() throws {
        func reason(_ descriptor: Int32) -> InheritedSocketError.Reason? {
            let error = #expect(throws: InheritedSocketError.self) {
                try Listener(adopting: descriptor)
            }
            return error?.reason
        }
        let (near, far) = Wire.pair()
        #expect(reason(near) == .notListening)
        #expect(fcntl(near, F_GETFD) >= 0)
        close(near)
        far.close()
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        #expect(reason(file) == .notSocket)
        close(file)
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let datagrams = socket(AF_INET, kind, 0)
        #expect(reason(datagrams) == .notStream)
        close(datagrams)
        #expect(reason(100_000) == .notOpen)
    }

    @Test("The environment names the sockets, as sd_listen_fds(3) has it")
    func environment() throws {
        let socket = makeListeningSocket()
        let first = numbersInARow(3, for: socket)
        close(socket)
        func find(_ values: [String: String]) throws -> [InheritedSocket] {
            try InheritedSocket.all(processIdentifier: 42, first: first) { values[$0] }
        }
        #expect(try find([:]).isEmpty)
        #expect(try find(["LISTEN_PID": "41", "LISTEN_FDS": "2"]).isEmpty)
        #expect(fcntl(first, F_GETFD) & FD_CLOEXEC == 0)
        let found = try find(
            ["LISTEN_PID": "42", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "http::admin"])
        #expect(found.map(\.descriptor) == [first, first + 1, first + 2])
        #expect(found.map(\.name) == ["http", "unknown", "admin"])
        for socket in found { #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0) }
        #expect(try find(["LISTEN_PID": "42", "LISTEN_FDS": "0"]).isEmpty)
        for wrong in ["", "-1", "x", "99999999999"] {
            #expect(throws: InheritedSocketError.self) {
                try find(["LISTEN_PID": "42", "LISTEN_FDS": wrong])
            }
            #expect(throws: InheritedSocketError.self) {
                try find(["LISTEN_PID": wrong, "LISTEN_FDS": "1"])
            }
        }
        let listener = try Listener(adopting: found)
        #expect(listener.endpoints.count == 3)
        serveEcho(listener)
        let wire = Wire.connect(to: listener.port)
        #expect(wire.echoes([1]))
        stop(listener)
    }

    @Test("More sockets than are open are an error, found at the first that is missing")
    func missing() {
        let values = ["LISTEN_PID": "42", "LISTEN_FDS": "1000000", "LISTEN_FDNAMES": "http"]
        let error = #expect(throws: InheritedSocketError.self) {
            try InheritedSocket.all(processIdentifier: 42, first: 100_000) { values[$0] }
        }
        #expect(error?.reason == .notOpen)
        #expect(error?.description.contains("100000 ('http') is not open") == true)
    }

    @Test("The variables are removed if requested")
    func unsetting() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "0", 1)
            demand(try InheritedSocket.all().isEmpty, "none are named")
            demand(getenv("LISTEN_FDS") != nil, "they stay")
            setenv("LISTEN_FDS", "nonsense", 1)
            do {
                _ = try InheritedSocket.all(unsetsVariables: true)
                demand(false, "nonsense is an error")
            } catch {}
            demand(getenv("LISTEN_PID") == nil && getenv("LISTEN_FDS") == nil, "they go")
            exit(0)
        }
    }
}
