/// A watcher's changes for `for await`. The sequence ends when the watcher is cancelled, or the
/// task that waits.
public struct FileChangeSequence: AsyncSequence, Sendable {
    public typealias Element = FileChange
    public typealias Failure = Never

    /// What happens to a change for which there is no room.
    public enum FullPolicy: Sendable {
        /// The oldest changes go; an `overflow` stands in their place.
        case dropOldest
        /// The sequence ends, after an `overflow`.
        case finish
    }

    let buffer: FileChangeBuffer

    public func makeAsyncIterator() -> Iterator { Iterator(buffer: buffer) }

    public struct Iterator: AsyncIteratorProtocol {
        let buffer: FileChangeBuffer

        public mutating func next() async -> FileChange? { await buffer.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> FileChange? {
            await buffer.next()
        }
    }
}
