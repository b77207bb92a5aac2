@testable import KeyValueStore

/// A client's view of a session: text in, text out.
final class Conversation {
    let store: Store
    private var session: Session
    private var reply = ReplyBuffer()
    private(set) var outcome = Session.Outcome.continue

    init(_ store: Store = Store()) {
        self.store = store
        session = Session(store: store)
    }

    /// Sends bytes as they are; the replies to them.
    @discardableResult
    func send(_ bytes: [UInt8]) -> String {
        withBorrowed(bytes) { outcome = session.receive($0, into: &reply) }
        return takeReplies()
    }

    func send(_ text: String) -> String { send(Array(text.utf8)) }

    /// Goes on after a pause.
    func resume() -> String {
        outcome = session.resume(into: &reply)
        return takeReplies()
    }

    /// Sends one command as an array of bulk strings.
    @discardableResult
    func call(_ words: String...) -> String { send(encoded(words)) }

    /// Sends a typed line without quotes as an array of bulk strings.
    @discardableResult
    func type(_ line: String) -> String {
        send(encoded(line.split(separator: " ").map(String.init)))
    }

    private func takeReplies() -> String {
        let text = String(decoding: reply.bytes, as: UTF8.self)
        reply.removeAll()
        return text
    }
}

/// Lends bytes in memory of their own, as a receive buffer is lent: afterwards it holds other
/// bytes, and then it is gone.
func withBorrowed(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    body(UnsafeRawBufferPointer(memory))
    memory.initializeMemory(as: UInt8.self, repeating: 0x21)
    memory.deallocate()
}

/// A command as clients send it.
func encoded(_ words: [String]) -> [UInt8] {
    encoded(words.map { Array($0.utf8) })
}

func encoded(_ words: [[UInt8]]) -> [UInt8] {
    var bytes = Array("*\(words.count)\r\n".utf8)
    for word in words {
        bytes += Array("$\(word.count)\r\n".utf8) + word + Array("\r\n".utf8)
    }
    return bytes
}

/// A bulk string as the server sends it.
func bulk(_ text: String) -> String { "$\(text.utf8.count)\r\n\(text)\r\n" }
