import Glibc
import RingDispatch
import RingNetwork

@testable import KeyValueServer

/// A client's view of a session, over a pair of sockets.
final class Conversation {
    let database: Database
    private let descriptor: Int32
    private static let mark = "end of the replies"

    init(_ database: Database = Database()) {
        self.database = database
        var ends: [Int32] = [-1, -1]
        let code = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        precondition(code == 0, "socketpair: \(errno)")
        descriptor = ends[0]
        var timeout = timeval(tv_sec: max(60, Patience.seconds), tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
        let connection = Connection(adopting: ends[1], target: database.queue)
        database.queue.sync { Session.serve(connection, database) }
    }

    deinit { close(descriptor) }

    func write(_ bytes: [UInt8]) {
        let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        // The session may have closed the connection, with bytes unread or not.
        let isClosed = errno == EPIPE || errno == ECONNRESET
        precondition(count == bytes.count || isClosed, "send: \(errno)")
    }

    /// All that arrives until `end`, or until the session closes the connection.
    func read(until end: String? = nil) -> String {
        let end = end.map { Array($0.utf8) }
        var bytes: [UInt8] = []
        while end.map({ !bytes.suffix($0.count).elementsEqual($0) }) ?? true {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Sends bytes; the replies to them.
    @discardableResult
    func send(_ bytes: [UInt8]) -> String {
        write(bytes + encoded(["ECHO", Self.mark]))
        let (replies, end) = (read(until: bulk(Self.mark)), bulk(Self.mark))
        return replies.hasSuffix(end) ? String(replies.dropLast(end.count)) : replies
    }

    @discardableResult
    func send(_ text: String) -> String { send(Array(text.utf8)) }

    /// Sends one command as an array of strings.
    @discardableResult
    func call(_ words: String...) -> String { send(encoded(words)) }

    /// Sends a line without quotes as an array of strings.
    @discardableResult
    func type(_ line: String) -> String {
        send(encoded(line.split(separator: " ").map(String.init)))
    }

    /// Whether the session has closed the connection.
    var isClosed: Bool { send("PING\r\n") == "" }

    /// Runs `body` on the database's queue.
    func onQueue<Result>(_ body: (Database) -> Result) -> Result {
        database.queue.sync { body(database) }
    }
}

/// A command as clients send it.
func encoded(_ words: [String]) -> [UInt8] { encoded(words.map { Array($0.utf8) }) }

func encoded(_ words: [[UInt8]]) -> [UInt8] {
    var bytes = Array("*\(words.count)\r\n".utf8)
    for word in words {
        bytes += Array("$\(word.count)\r\n".utf8) + word + Array("\r\n".utf8)
    }
    return bytes
}

/// A string as the server sends it.
func bulk(_ text: String) -> String { "$\(text.utf8.count)\r\n\(text)\r\n" }
