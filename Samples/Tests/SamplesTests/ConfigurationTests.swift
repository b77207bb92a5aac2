import Testing

/// Invalid environment variables: the runtime ends each program with EX_CONFIG and names valid
/// values.
@Suite("Environment", .watchdog)
struct ConfigurationTests {
    struct BadVariable {
        let name: String
        let value: String
        let remedy: String
    }

    static let badVariables =
        ["uring", "EPOLL"].map {
            BadVariable(
                name: "RINGDISPATCH_BACKEND", value: $0, remedy: "must be auto, io_uring or epoll")
        }
        + ["0", "-1", "257", "two"].map {
            BadVariable(
                name: "RINGDISPATCH_LOOPS", value: $0, remedy: "must be a number from 1 to 256")
        }
        + ["1", "32769", "many"].map {
            BadVariable(
                name: "RINGDISPATCH_WORKERS", value: $0, remedy: "must be a number from 2 to 32768")
        }

    @Test(
        "a bad value is status 78, the value and the remedy", arguments: Program.allCases,
        badVariables)
    func badValue(program: Program, variable: BadVariable) throws {
        let refusing = try LoopbackSocket.bound()
        let arguments =
            switch program {
            case .ringload: ["tcp://127.0.0.1:\(refusing.port)"]
            case .fileWatchServer: [".", "--port", "0", "--http-port", "0"]
            case .proxy: program.freePort + ["--to", "127.0.0.1:\(refusing.port)"]
            default: program.freePort
            }
        let process = try program.start(
            arguments, environment: ["\(variable.name)=\(variable.value)"])
        #expect(try process.waitForEnd() == .exit(78), "\(process.words)")
        #expect(process.errors.text.contains("\(variable.name) is '\(variable.value)'"))
        #expect(process.errors.text.contains(variable.remedy))
    }

    @Test("fewer workers than requested event loops are refused")
    func fewWorkers() throws {
        let process = try Program.gcdEcho.start(
            ["--port", "0"], environment: ["RINGDISPATCH_WORKERS=4", "RINGDISPATCH_LOOPS=4"])
        #expect(try process.waitForEnd() == .exit(78), "\(process.words)")
        #expect(process.errors.text.contains("RINGDISPATCH_WORKERS is '4'"))
        #expect(process.errors.text.contains("more than the 4 event loops of RINGDISPATCH_LOOPS"))
    }

    @Test(
        "there are fewer event loops than workers, so that each is served",
        arguments: Setting.usable)
    func fewLoops(setting: Setting) throws {
        let environment = ["RINGDISPATCH_WORKERS=2"]
        try withServer(.gcdEcho, setting, environment: environment) { server in
            for _ in 0..<4 { _ = try server.connectAndGreet() }
            let line = try server.process.errors.waitForLine(beginning: "RingDispatch: ")
            #expect(line.contains(" 1 event loop "))
        }
    }

    @Test("an empty value is no value", arguments: Program.servers)
    func emptyValue(program: Program) throws {
        let environment = ["RINGDISPATCH_BACKEND=", "RINGDISPATCH_LOOPS="]
        try withServer(program, .epoll, environment: environment) { server in
            _ = try server.connectAndGreet()
        }
    }

    @Test("the log can be switched off", arguments: Setting.usable)
    func quiet(setting: Setting) throws {
        try withServer(.gcdEcho, setting, environment: ["RINGDISPATCH_LOG=off"]) { server in
            _ = try server.connectAndGreet()
            #expect(server.process.errors.text.isEmpty)
        }
    }

    @Test("the log names the back end and the event loops", arguments: Setting.usable, [1, 2])
    func log(setting: Setting, loops: Int) throws {
        let environment = ["RINGDISPATCH_LOOPS=\(loops)"]
        try withServer(.gcdEcho, setting, environment: environment) { server in
            _ = try server.connectAndGreet()
            let line = try server.process.errors.waitForLine(beginning: "RingDispatch: ")
            let words = loops == 1 ? "1 event loop " : "2 event loops "
            #expect(line.hasPrefix("\(setting.backendName) back end, \(words)"))
        }
    }
}
