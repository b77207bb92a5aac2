internal import RingDispatch

/// A watcher's changes for `for await`. The sequence ends when the watcher or the waiting task is
/// cancelled. One task at a time may wait.
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

    /// The changes that wait for the task. The watcher keeps no sequence that nobody uses any more:
    /// it has a weak reference to this.
    final class Buffer: Sendable {
        private let bound: Int
        private let policy: FullPolicy
        let mailbox = Mailbox<ArraySlice<FileChange>>()

        init(bound: Int, policy: FullPolicy) {
            self.bound = Swift.max(2, bound)
            self.policy = policy
        }

        func append(_ changes: [FileChange]) {
            let isOver = mailbox.post { [bound, policy] waiting in
                var all = waiting.take() ?? []
                defer { waiting = all }
                all.append(contentsOf: changes)
                guard all.count > bound else { return false }
                // An `overflow` replaces the dropped changes. Further drops extend it.
                let place: Int
                if policy == .dropOldest {
                    all.removeFirst(all.count - bound)
                    place = all.startIndex
                } else {
                    all.removeLast(all.count - bound - 1)
                    place = all.endIndex - 1
                }
                all[place] = all[place].asOverflow
                return policy == .finish
            }
            if isOver == true { mailbox.finish() }
        }
    }

    let buffer: Buffer

    init(bound: Int, policy: FullPolicy) { buffer = Buffer(bound: bound, policy: policy) }

    public func makeAsyncIterator() -> Iterator { Iterator(buffer: buffer) }

    /// Takes the waiting changes. All iterators of a sequence share them: each change goes to one.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let buffer: Buffer

        public func next(isolation actor: isolated (any Actor)?) async -> FileChange? {
            await buffer.mailbox.nextElement()
        }
    }
}
