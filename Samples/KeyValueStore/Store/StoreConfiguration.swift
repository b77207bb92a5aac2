internal import RingDispatch

/// How a store is divided, and what it accepts.
package struct StoreConfiguration: Sendable {
    /// Isolation queues, each with its part of the keys; a power of two, at most 64.
    package var shardCount = 16
    /// The longest key and the longest value, bytes. The protocol's own limit is 512 MiB.
    package var maxBulkBytes = 512 << 20
    /// The most words of a command, its name included.
    package var maxArguments = 1 << 20
    /// The longest command that is typed instead of encoded, bytes.
    package var maxInlineBytes = 64 << 10
    /// The longest command, bytes: what a session may have to keep until the end arrives.
    package var maxCommandBytes = 1 << 30
    /// The longest reply to one command, bytes. A small command can ask for a large value often.
    package var maxReplyBytes = 1 << 30
    /// A session with more unsent replies than this pauses, bytes.
    package var replyHighWaterBytes = 256 << 10
    /// What all keys and values may take, bytes, with the tables; `Int.max`: no limit.
    package var maxMemoryBytes = Int.max
    /// Milliseconds on a clock that is never set back.
    package var clock: @Sendable () -> Int64 = {
        Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000)
    }
    /// Whether keys go when their time comes. Without, they go when they are asked for.
    package var expiresByTimer = true

    package init() {}

    /// The largest values that the layout of the entries can hold.
    static let bulkBytesLimit = 1 << 30

    func validate() {
        precondition(
            shardCount > 0 && shardCount <= 64 && shardCount & (shardCount - 1) == 0,
            "shardCount must be a power of two, at most 64, not \(shardCount)")
        precondition(
            maxBulkBytes > 0 && maxBulkBytes <= Self.bulkBytesLimit,
            "maxBulkBytes must be between 1 and \(Self.bulkBytesLimit), not \(maxBulkBytes)")
        precondition(maxArguments > 0 && maxInlineBytes > 0, "a limit must be above 0")
        precondition(maxCommandBytes > 0 && maxReplyBytes > 0, "a limit must be above 0")
        precondition(replyHighWaterBytes > 0 && maxMemoryBytes > 0, "a limit must be above 0")
    }
}
