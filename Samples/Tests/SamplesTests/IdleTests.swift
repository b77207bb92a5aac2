import Glibc
import Testing

/// Idle servers make no system calls: no ticks, no polling, no search for work.
@Suite("Idle servers", .watchdog)
struct IdleTests {
    static let settlingMilliseconds: UInt32 = 300
    static let idleMilliseconds: UInt32 = 2000

    @Test("make no system calls", arguments: Program.servers, Setting.usable)
    func noSystemCalls(program: Program, setting: Setting) throws {
        try withServer(program, setting) { server in
            // Connected clients, so that the server has something to wait for.
            let clients = try (0..<5).map { _ in try server.connectAndGreet() }
            letPass(milliseconds: Self.settlingMilliseconds)
            let before = try ProcessInformation.voluntarySwitches(server.process.processID)
            letPass(milliseconds: Self.idleMilliseconds)
            let after = try ProcessInformation.voluntarySwitches(server.process.processID)
            #expect(before == after, "waits ended by themselves, by thread")
            for client in clients {
                try client.send([1])
                #expect(try client.receive(count: 1) == [1])
            }
        }
    }

    @Test("make none before the first client, either", arguments: Program.servers, Setting.usable)
    func noSystemCallsWhenNew(program: Program, setting: Setting) throws {
        try withServer(program, setting) { server in
            letPass(milliseconds: Self.settlingMilliseconds)
            let before = try ProcessInformation.voluntarySwitches(server.process.processID)
            letPass(milliseconds: Self.idleMilliseconds)
            let after = try ProcessInformation.voluntarySwitches(server.process.processID)
            #expect(before == after, "waits ended by themselves, by thread")
        }
    }
}
