/// Limits of one client; those of Redis, except where noted.
enum Limits {
    /// The longest key, value or other word of a command.
    static let wordBytes = 512 << 20
    /// The most words in a command (Redis up to version 6).
    static let words = 1 << 20
    /// The longest command.
    static let commandBytes = 1 << 30
    /// The longest line: an inline command, or a length.
    static let lineBytes = 64 << 10
    /// The longest reply to one command (Redis: no limit).
    static let replyBytes = 1 << 30
    /// Replies are sent at this size. Until the client has taken them, no command is executed.
    static let unsentReplyBytes = 256 << 10
    /// The memory of replies up to this size is kept for the next ones.
    static let keptReplyBytes = 4 << 10
}
