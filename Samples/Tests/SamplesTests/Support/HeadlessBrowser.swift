import Foundation
import Glibc
import Testing

/// A headless Chromium with one page, controlled by the Chrome DevTools Protocol over two named
/// pipes: JSON messages, each followed by a zero byte.
final class HeadlessBrowser: @unchecked Sendable {
    // Safety: used by one test at a time.
    private let folder: Folder
    private let process: ChildProcess
    private let requests: Int32
    private let replies: Int32
    private var received: [UInt8] = []
    private var number = 0
    private var target: String?
    private var session: String?

    /// Nil if none is installed.
    static let path = ["chromium", "chromium-browser", "google-chrome"]
        .compactMap(Command.find).first

    /// Starting one takes seconds, so that the tests of a suite share it.
    private static let shared = Watched<HeadlessBrowser?>(nil)

    /// The suite's browser, with a new page at this address.
    static func page(_ address: String) throws -> HeadlessBrowser {
        let browser = try shared.value ?? HeadlessBrowser()
        shared.update { $0 = browser }
        try browser.open(address)
        return browser
    }

    static func quit() { shared.update { $0 = nil } }

    private init(width: Int = 1200, height: Int = 800) throws {
        guard let path = Self.path else { throw Trouble("no Chromium is installed") }
        folder = Folder()
        let (requestPath, replyPath) = (folder.path + "/requests", folder.path + "/replies")
        guard mkfifo(requestPath, 0o600) == 0, mkfifo(replyPath, 0o600) == 0 else {
            throw Trouble(call: "mkfifo")
        }
        // Opened for reading and writing, so that neither side blocks in open(2).
        requests = Glibc.open(requestPath, O_RDWR | O_CLOEXEC)
        replies = Glibc.open(replyPath, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard requests >= 0, replies >= 0 else { throw Trouble(call: "open") }
        let command = """
            exec "$0" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage \
            --no-first-run --remote-debugging-pipe --user-data-dir="$1/profile" \
            --window-size=\(width),\(height) about:blank 3<"$1/requests" 4>"$1/replies"
            """
        process = try Program.start(
            "/bin/sh", ["-c", command, path, folder.path],
            longestLifeSeconds: 20 * Patience.seconds)
    }

    deinit {
        process.send(SIGKILL)
        close(requests)
        close(replies)
    }

    private func open(_ address: String) throws {
        session = nil
        if let target { try call("Target.closeTarget", ["targetId": target]) }
        target = try call("Target.createTarget", ["url": "about:blank"])["targetId"] as? String
        let options: [String: Any] = ["targetId": target ?? "", "flatten": true]
        session = try call("Target.attachToTarget", options)["sessionId"] as? String
        try call("Page.navigate", ["url": address])
    }

    /// Evaluates a script in the page.
    @discardableResult
    func evaluate(_ script: String) throws -> Any? {
        let result = try call(
            "Runtime.evaluate",
            ["expression": script, "returnByValue": true, "awaitPromise": true])
        if let exception = result["exceptionDetails"] {
            throw Trouble("the page's script failed: \(script): \(exception)")
        }
        return (result["result"] as? [String: Any])?["value"]
    }

    /// Waits until the script returns true.
    func wait(for script: String, until deadline: Deadline = Deadline()) throws {
        while try evaluate(script) as? Bool != true {
            if deadline.isOver {
                let text = try evaluate("document.body.innerText") ?? ""
                throw Trouble("not in time: \(script); the page: \(text)")
            }
            letPass(milliseconds: 20)
        }
    }

    @discardableResult
    func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        number += 1
        var message: [String: Any] = ["id": number, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        let bytes = Array(try JSONSerialization.data(withJSONObject: message)) + [0]
        guard Glibc.write(requests, bytes, bytes.count) == bytes.count else {
            throw Trouble(call: "write")
        }
        let deadline = Deadline()
        while true {
            let reply = try nextReply(until: deadline)
            guard reply["id"] as? Int == number else { continue }
            if let error = reply["error"] { throw Trouble("\(method): \(error)") }
            return reply["result"] as? [String: Any] ?? [:]
        }
    }

    private func nextReply(until deadline: Deadline) throws -> [String: Any] {
        while true {
            if let end = received.firstIndex(of: 0) {
                let message = received[..<end]
                received.removeFirst(end + 1)
                let value = try JSONSerialization.jsonObject(with: Data(message))
                return value as? [String: Any] ?? [:]
            }
            var entry = pollfd(fd: replies, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&entry, 1, deadline.millisecondsLeft) > 0 else {
                if !deadline.isOver { continue }
                throw Trouble("Chromium does not answer; \(process.words)")
            }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(replies, &buffer, buffer.count)
            if count > 0 { received += buffer[..<count] }
        }
    }
}

/// Ends the browser after the suite's last test.
struct BrowserLife: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        defer { HeadlessBrowser.quit() }
        try await function()
    }
}
