import Glibc
import Testing

/// Where io_uring is refused, programs use epoll and log the reason. `refuse-io-uring` simulates
/// the container.
@Suite("Refused io_uring", .watchdog)
struct RefusalTests {
    /// How containers, sysctls and old kernels refuse io_uring, completely or partly.
    static let refusals =
        ["EPERM", "EACCES", "ENOSYS", "EINVAL", "ENOMEM"].map { Refusal(error: $0) }
        + ["setup", "enter", "register"].flatMap { call in
            ["EPERM", "ENOSYS"].map { Refusal(only: call, error: $0) }
        }

    static let reasons = [
        "EPERM": "Operation not permitted", "EACCES": "Permission denied",
        "ENOSYS": "Function not implemented", "EINVAL": "Invalid argument",
        "ENOMEM": "Cannot allocate memory",
    ]

    static let remedies = [
        "EPERM": "run with --security-opt seccomp=", "EACCES": "run with --security-opt seccomp=",
        "ENOSYS": "a profile that allows it", "EINVAL": "Linux 6.1 or later is needed",
        "ENOMEM": "ulimit -l",
    ]

    /// Where the sysctl forbids io_uring, EPERM has another remedy than these tests expect.
    static let isForbiddenBySysctl = sysctl() != "0"

    @Test(
        "the servers fall back to epoll and log cause and remedy",
        arguments: Program.servers, refusals)
    func fallBack(program: Program, refusal: Refusal) throws {
        try withServer(program, .refused, refusal: refusal) { server in
            let client = try server.connectAndGreet()
            let bytes = patternBytes(10_000)
            try client.send(bytes)
            #expect(difference(try client.receive(count: bytes.count), from: bytes) == nil)

            let line = try server.process.errors.waitForLine(beginning: "RingDispatch: ")
            let call = refusal.only ?? "setup"
            #expect(line.hasPrefix("epoll back end"))
            #expect(line.contains("io_uring_\(call) failed"))
            #expect(line.contains(try #require(Self.reasons[refusal.error])))
            if !Self.isForbiddenBySysctl {
                #expect(line.contains(try #require(Self.remedies[refusal.error])))
            }
        }
    }

    @Test(
        "a requested io_uring that is refused is an error with cause and remedy",
        arguments: [Program.echoServer, .ringload], refusals)
    func forced(program: Program, refusal: Refusal) throws {
        let refusing = try LoopbackSocket.bound()
        let target =
            program == .ringload ? ["tcp://127.0.0.1:\(refusing.port)"] : ["--port", "0"]
        let process = try program.start(target + ["--backend", "io_uring"], refusal: refusal)
        #expect(try process.waitForEnd() == .exit(78), "\(process.words)")
        let errors = process.errors.text
        #expect(errors.contains("io_uring was requested, but cannot be had"))
        #expect(errors.contains(try #require(Self.reasons[refusal.error])))
        if !Self.isForbiddenBySysctl {
            #expect(errors.contains(try #require(Self.remedies[refusal.error])))
        }
        #expect(process.output.text.isEmpty)
    }

    @Test("a requested epoll logs nothing about io_uring", arguments: refusals)
    func epollAskedFor(refusal: Refusal) throws {
        try withServer(.gcdEcho, .epoll, refusal: refusal) { server in
            _ = try server.connectAndGreet()
            let line = try server.process.errors.waitForLine(beginning: "RingDispatch: ")
            #expect(line.hasSuffix("(as requested)"))
        }
    }

    @Test("ringload falls back to epoll, too")
    func ringloadFallsBack() throws {
        try withServer(.gcdEcho, .epoll) { server in
            let process = try Program.ringload.start(
                ["tcp://127.0.0.1:\(server.port)"] + RingloadTests.shortLoad, .refused)
            #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
            #expect(process.errors.text.contains("RingDispatch: epoll back end"))
        }
    }

    private static func sysctl() -> String {
        let descriptor = open("/proc/sys/kernel/io_uring_disabled", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "0" }
        defer { close(descriptor) }
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) == 1 ? String(Character(UnicodeScalar(byte))) : "0"
    }
}
