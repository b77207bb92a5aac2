import Glibc
import TestSupport
import Testing

/// Compiles servers against the built libraries. Those whose handlers would race must not compile.
@Suite("Handlers that would race do not compile", .watchdog)
struct RaceTests {
    private static let head = """
        import RingDispatch
        import RingNetwork

        final class Count { var bytes = 0 }
        let listener = try Listener(Endpoint("127.0.0.1:0"))

        """

    /// The package's folder.
    private static let root = #filePath.components(before: 4)

    @Test("The server of the README compiles")
    func readme() throws {
        let text = try #require(readFile(Self.root + "/README.md"))
        let start = try #require(text.firstRange(of: "```swift\n")).upperBound
        let end = try #require(text[start...].firstRange(of: "```")).lowerBound
        #expect(text[start..<end].contains("setReceiveHandler"))
        #expect(try compile(String(text[start..<end])) == "")
    }

    @Test("Handlers may use state of their own, and share it if they are set together")
    func right() throws {
        let complaint = try compile(
            Self.head + """
                listener.setConnectionHandler { connection in
                    var total = 0
                    connection.setReceiveHandler { _, bytes in total += bytes.byteCount }
                    connection.activate()
                }
                listener.setConnectionHandler { connection in
                    let count = Count()
                    connection.setHandlers(
                        ConnectionHandlers(
                            receive: { _, bytes in count.bytes += bytes.byteCount },
                            close: { _, _ in print(count.bytes) }))
                    connection.activate()
                }
                """)
        #expect(complaint == "")
    }

    @Test(
        "Handlers may not use state of others",
        arguments: [
            (
                "a variable of main.swift", "main actor-isolated var 'total'",
                """
                var total = 0
                listener.setConnectionHandler { connection in
                    connection.setReceiveHandler { _, bytes in total += bytes.byteCount }
                }
                """
            ),
            (
                "an object that the connections share", "sending value of non-Sendable type",
                """
                func serve() {
                    let count = Count()
                    listener.setConnectionHandler { connection in
                        count.bytes += 1
                        connection.setReceiveHandler { _, bytes in count.bytes += bytes.byteCount }
                    }
                }
                """
            ),
            (
                "an object of handlers that are set one by one",
                "sending value of non-Sendable type",
                """
                listener.setConnectionHandler { connection in
                    let count = Count()
                    connection.setReceiveHandler { _, bytes in count.bytes += bytes.byteCount }
                    connection.setCloseHandler { _, _ in print(count.bytes) }
                }
                """
            ),
            (
                "an object that is used after the handlers were set",
                "sending value of non-Sendable type",
                """
                listener.setConnectionHandler { connection in
                    let count = Count()
                    connection.setHandlers(
                        ConnectionHandlers(receive: { _, bytes in count.bytes += bytes.byteCount }))
                    connection.activate()
                    print(count.bytes)
                }
                """
            ),
            (
                "a variable of the caller, in a completion",
                "sending value of non-Sendable type",
                """
                func send(_ connection: Connection) -> Bool {
                    var isSent = false
                    connection.send([1]) { isSent = $0 == nil }
                    return isSent
                }
                """
            ),
        ])
    func wrong(what: String, complaint: String, program: String) throws {
        let output = try compile(Self.head + program, status: 1)
        #expect(output.contains("error: " + complaint), "\(what): \(output)")
    }

    /// Returns what the compiler says of the program; empty: it compiles.
    /// - Parameter status: the compiler's status.
    private func compile(_ program: String, status: Int32 = 0) throws -> String {
        let compiler = try #require(Command.find("swiftc"), "swiftc is not in PATH")
        // SwiftPM builds the tests and the modules into the same folder.
        let built = try #require(realPath("/proc/self/exe")).components(before: 1)
        try #require(
            access(built + "/Modules/RingNetwork.swiftmodule", R_OK) == 0,
            "\(built)/Modules does not have the built modules")
        let folder = Folder()
        let file = folder.makeFile("main.swift", Array(program.utf8))
        // The compiler finds races when it lowers the program to SIL, after the check of types.
        let arguments = ["-swift-version", "6", "-emit-sil", "-o", "/dev/null", file]
        let modules = ["-I", built + "/Modules"]
        let moduleMaps = [
            built + "/CLinux.build/module.modulemap",
            Self.root + "/Sources/CLiburing/module.modulemap",
            Self.root + "/Sources/CTLS/module.modulemap",
        ].flatMap { ["-Xcc", "-fmodule-map-file=" + $0] }
        let command = Command([compiler] + arguments + modules + moduleMaps)
        let found = command.waitForEnd()
        #expect(found == status, "\(command.transcript)")
        return command.transcript
    }
}

private func readFile(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
}

private func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}

extension String {
    /// The path without its last components.
    fileprivate func components(before count: Int) -> String {
        split(separator: "/").dropLast(count).map { "/" + $0 }.joined()
    }
}
