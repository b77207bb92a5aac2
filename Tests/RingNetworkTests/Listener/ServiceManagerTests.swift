import Glibc
import LinuxPlatform
import RingDispatch
import RingNetwork
import TestSupport
import Testing

#if ServiceLifecycle
import Logging
import ServiceLifecycle
#endif

/// In processes of their own, since the environment belongs to the process.
@Suite("The service manager", .watchdog)
struct ServiceManagerTests {
    @Test("The service manager receives each state, at a path or an abstract name")
    func states() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            for name in ["/tmp/ring-notify-\(getpid())", "@ring-notify-\(getpid())"] {
                let manager = try Manager(name)
                for state in [.ready, .status("two\nlines"), .stopping] as [ServiceManager.State] {
                    demand(try ServiceManager.notify(state), "a manager wants to know")
                }
                for text in ["READY=1", "STATUS=twolines", "STOPPING=1"] {
                    let received = manager.next()
                    demand(received == text, received)
                }
                manager.remove()
            }
            exit(0)
        }
    }

    @Test("Nothing happens without a service manager")
    func none() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            unsetenv("NOTIFY_SOCKET")
            demand(try !ServiceManager.notify(.ready), "no manager wants to know")
            exit(0)
        }
    }

    @Test("An invalid or unreachable socket is an error that names it and the remedy")
    func errors() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let values = [
                "": "not the name of a Unix socket", "relative": "not the name of a Unix socket",
                "vsock:2:3": "not the name of a Unix socket",
                "/nonexistent/notify": "NotifyAccess=",
                "/" + String(repeating: "x", count: 200): "not the name of a Unix socket",
            ]
            for (value, words) in values {
                setenv("NOTIFY_SOCKET", value, 1)
                do {
                    try ServiceManager.notify(.ready)
                    demand(false, "'\(value)' is an error")
                } catch {
                    let description = "\(error)"
                    demand(error is ServiceManagerError, description)
                    demand(description.contains(words), description)
                    demand(description.contains("NOTIFY_SOCKET"), description)
                    demand(description.contains("unset the variable"), description)
                }
            }
            exit(0)
        }
    }

    #if ServiceLifecycle
    @Test("A service tells the manager once the process is ready, and when it stops")
    func service() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let manager = try Manager("/tmp/ring-notify-\(getpid())")
            let isReady = Gate()
            let group = ServiceGroup(
                services: [ServiceManager.service { isReady.pass() }],
                logger: Logger(label: "test"))
            async let ended: Void = group.run()
            demand(manager.isEmpty, "it is not ready yet")
            isReady.open()
            var received = manager.next()
            demand(received == "READY=1", received)
            demand(manager.isEmpty, "it does not stop yet")
            await group.triggerGracefulShutdown()
            received = manager.next()
            demand(received == "STOPPING=1", received)
            try await ended
            manager.remove()
            exit(0)
        }
    }

    @Test("A shutdown during the start is graceful, and the process was never ready")
    func shutdownDuringStart() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let manager = try Manager("/tmp/ring-notify-\(getpid())")
            let isStarting = Gate()
            let service = ServiceManager.service {
                isStarting.open()
                for await _ in AsyncStream(Never.self, { _ in }) {}
                throw CancellationError()
            }
            let group = ServiceGroup(services: [service], logger: Logger(label: "test"))
            async let ended: Void = group.run()
            isStarting.pass()
            await group.triggerGracefulShutdown()
            let received = manager.next()
            demand(received == "STOPPING=1", received)
            try await ended
            manager.remove()
            exit(0)
        }
    }

    @Test("A process whose service is cancelled during the start was never ready")
    func cancelledDuringStart() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let manager = try Manager("/tmp/ring-notify-\(getpid())")
            let (isStarting, proceed) = (Gate(), Gate())
            let service = ServiceManager.service {
                isStarting.open()
                proceed.pass()
            }
            let run = ownTask { try await service.run() }
            isStarting.pass()
            run.cancel()
            proceed.open()
            let result = await run.result
            demand(manager.isEmpty, "it was cancelled")
            demand((try? result.get()) == nil, "it throws")
            manager.remove()
            exit(0)
        }
    }

    #if Logging
    @Test("A failed notification goes to the logger, and without one to standard error again")
    func logged() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            setenv("NOTIFY_SOCKET", "/nowhere/at/all", 1)
            let events = Watched<[String]>([])
            for logger in [Logger(recordingInto: events), nil] {
                DispatchRuntime.setLogger(logger)
                let group = ServiceGroup(
                    services: [ServiceManager.service()], logger: Logger(label: "test"))
                async let ended: Void = group.run()
                await group.triggerGracefulShutdown()
                try await ended
            }
            let lines = events.value
            #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("warning RingDispatch ") })
            #expect(lines.allSatisfy { $0.contains("/nowhere/at/all") }, "\(lines)")
        }
        let output = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        let lines = output.split(separator: "\n").filter { $0.hasPrefix("RingDispatch: ") }
        #expect(!lines.isEmpty && lines.allSatisfy { $0.contains("/nowhere/at/all") }, "\(output)")
    }
    #endif
    #endif
}

/// The service manager's end: a datagram socket that `NOTIFY_SOCKET` names.
private struct Manager {
    private let name: String
    private let descriptor: Int32

    init(_ name: String) throws {
        self.name = name
        let bytes = Array(name.utf8)
        let address =
            name.hasPrefix("@")
            ? SocketAddress(unixAbstract: Array(bytes.dropFirst())) : SocketAddress(unixPath: bytes)
        descriptor = try Datagrams.open(at: address, connectingTo: nil, DatagramSettings())
        setenv("NOTIFY_SOCKET", name, 1)
    }

    /// Removes the name.
    func remove() { unlink(name) }

    var isEmpty: Bool { recv(descriptor, nil, 0, Int32(MSG_PEEK)) < 0 }

    func next() -> String {
        var bytes = [UInt8](repeating: 0, count: 1000)
        var count = -1
        let isReceived = poll {
            count = recv(descriptor, &bytes, bytes.count, 0)
            return count >= 0
        }
        return isReceived ? String(decoding: bytes[..<count], as: UTF8.self) : "nothing"
    }
}
