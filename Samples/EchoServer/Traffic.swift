/// Received messages and bytes. A message is a receive with data: one per small request. TLS
/// handshakes count, too.
struct Traffic: Sendable {
    var messages = 0
    var bytes = 0

    mutating func add(_ messages: UInt64, _ bytes: UInt64) {
        self.messages += Int(messages)
        self.bytes += Int(bytes)
    }
}
