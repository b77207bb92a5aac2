import Glibc
import Testing

/// Idle servers make no system calls: no ticks, no polling, no search for work.
@Suite("Idle servers", .waitingWatchdog)
struct IdleTests {
    static let idleMilliseconds: UInt32 = isDeep ? 2500 : 1200

    /// Waits until no thread of the server wakes up for a while: the first time, threads may still
    /// go to rest.
    private func waitUntilIdle(_ server: EchoProcess) throws {
        let deadline = Deadline()
        while true {
            let before = try ProcessInformation.voluntarySwitches(server.process.processID)
            letPass(milliseconds: Self.idleMilliseconds)
            let after = try ProcessInformation.voluntarySwitches(server.process.processID)
            if before == after { return }
            if deadline.isOver {
                throw Trouble("waits ended by themselves, by thread: \(before), \(after)")
            }
        }
    }

    @Test("make no system calls", arguments: Program.servers, Setting.usable)
    func noSystemCalls(program: Program, setting: Setting) throws {
        try withServer(program, setting) { server in
            // Connected clients, so that the server has something to wait for.
            let clients = try (0..<5).map { _ in try server.connectAndGreet() }
            try waitUntilIdle(server)
            for client in clients {
                try client.send([1])
                #expect(try client.receive(count: 1) == [1])
            }
        }
    }

    @Test("make none before the first client, either", arguments: Program.servers, Setting.usable)
    func noSystemCallsWhenNew(program: Program, setting: Setting) throws {
        try withServer(program, setting) { server in
            try waitUntilIdle(server)
        }
    }
}
