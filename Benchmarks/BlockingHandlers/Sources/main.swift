// A server on Hummingbird and SwiftNIO whose route handlers block their threads: on Swift's own
// executor, or with `--install` on the event loops. Nothing else differs.
import Foundation
import GRDB
import Hummingbird
import RingConcurrency

if CommandLine.arguments.contains("--install") { RingConcurrency.install() }

let file = FileManager.default.temporaryDirectory.appendingPathComponent(
    "blocking-handlers.\(ProcessInfo.processInfo.processIdentifier).sqlite")
let database = try DatabasePool(path: file.path)
try database.write { database in
    try database.execute(
        sql: """
            CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
            WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT 20000)
            INSERT INTO note (text) SELECT 'note ' || n FROM number;
            """)
}

// The compiler refuses these calls directly in async code, but not in a function that it calls.
func sleepBriefly() { Thread.sleep(forTimeInterval: 0.1) }

func runProcess() throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sleep")
    process.arguments = ["0.1"]
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
}

let router = Router()
router.get("ping") { _, _ in "pong" }
router.get("sleep") { _, _ in
    sleepBriefly()
    return "slept"
}
router.get("query") { _, _ in
    // Blocks until one of the pool's five connections is free, and while SQLite scans the table.
    let count = try database.read { database in
        try Int.fetchOne(database, sql: "SELECT count(*) FROM note WHERE text LIKE '%99%'")
    }
    return "\(count ?? 0)"
}
router.get("process") { _, _ in
    "\(try runProcess())"
}

let server = Application(
    router: router,
    configuration: .init(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: { channel in
        print("listening on \(channel.localAddress!.port!)")
        fflush(nil)
    })
try await server.runService()
try? FileManager.default.removeItem(at: file)
