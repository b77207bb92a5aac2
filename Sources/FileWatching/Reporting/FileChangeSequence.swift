/// A watcher's changes for `for await`. The sequence ends when the watcher or the waiting task is
/// cancelled. One task at a time may wait; it takes all changes that wait for it at once.
public struct FileChangeSequence: AsyncSequence, Sendable {
    public typealias Element = FileChange
    public typealias Failure = Never

    /// The policy for changes when the buffer is full.
    public enum FullPolicy: Sendable {
        /// Drops the oldest changes and puts an `overflow` in their place.
        case dropOldest
        /// Ends the sequence with an `overflow`.
        case finish
    }

    let buffer: FileChangeBuffer

    public func makeAsyncIterator() -> Iterator { Iterator(buffer: buffer) }

    /// Takes the waiting changes. All iterators of a sequence share them: each change goes to one.
    public struct Iterator: AsyncIteratorProtocol {
        let buffer: FileChangeBuffer
        private var pending: ArraySlice<FileChange> = []

        init(buffer: FileChangeBuffer) { self.buffer = buffer }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> FileChange? {
            if Task.isCancelled { pending = [] }
            if pending.isEmpty { pending = (await buffer.next() ?? [])[...] }
            return pending.popFirst()
        }
    }
}
