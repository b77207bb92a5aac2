/// Received messages and bytes. A message is a receive with data: one per small request.
struct Traffic: Sendable, Equatable {
    var messages = 0
    var bytes = 0

    static func += (left: inout Traffic, right: Traffic) {
        left.messages += right.messages
        left.bytes += right.bytes
    }

    static func - (left: Traffic, right: Traffic) -> Traffic {
        Traffic(messages: left.messages - right.messages, bytes: left.bytes - right.bytes)
    }
}
