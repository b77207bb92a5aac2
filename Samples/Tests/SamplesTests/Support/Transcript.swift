import Glibc

/// The output of a pipe, read as it arrives, so that the program never blocks on a full pipe.
final class Transcript: Sendable {
    private struct Content {
        var text = ""
        var isComplete = false
    }

    private let content = Watched(Content())

    init(adopting descriptor: Int32) {
        let content = content
        _ = UserThread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { break }
                let part = String(decoding: buffer[..<count], as: UTF8.self)
                content.update { $0.text += part }
            }
            close(descriptor)
            content.update { $0.isComplete = true }
        }
    }

    var text: String { content.update { $0.text } }

    /// Waits for a complete line with this prefix, and returns the rest of it.
    func waitForLine(
        beginning prefix: String, until deadline: Deadline = Deadline()
    ) throws -> String {
        try content.wait(until: deadline) { content -> String? in
            let lines = content.text.split(separator: "\n", omittingEmptySubsequences: false)
            if let line = lines.dropLast().first(where: { $0.hasPrefix(prefix) }) {
                return String(line.dropFirst(prefix.count))
            }
            if content.isComplete {
                throw Trouble("the program ended without a line '\(prefix)'; it said: \(lines)")
            }
            return nil
        } ?? { throw Trouble("no line '\(prefix)' in time; so far: '\(text)'") }()
    }

    /// Waits until the text contains `part`.
    func wait(for part: String, until deadline: Deadline = Deadline()) throws {
        guard content.wait(until: deadline, for: { $0.text.contains(part) ? true : nil }) != nil
        else { throw Trouble("no '\(part)' in time; so far: '\(text)'") }
    }

    /// Waits until every writer has closed the pipe.
    func waitForEnd(until deadline: Deadline) throws {
        guard content.wait(until: deadline, for: { $0.isComplete ? true : nil }) != nil else {
            throw Trouble("an ended program's output is still open; so far: '\(text)'")
        }
    }
}
