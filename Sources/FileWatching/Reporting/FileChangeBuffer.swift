internal import RingDispatch

/// The changes that wait for the task of a ``FileChangeSequence``.
final class FileChangeBuffer: Sendable {
    private let bound: Int
    private let policy: FileChangeSequence.FullPolicy
    private let mailbox = Mailbox<[FileChange]>()

    init(bound: Int, policy: FileChangeSequence.FullPolicy) {
        self.bound = max(2, bound)
        self.policy = policy
    }

    func append(_ changes: [FileChange]) {
        let isOver = mailbox.post { [bound, policy] waiting in
            waiting = waiting ?? []
            waiting?.append(contentsOf: changes)
            guard let count = waiting?.count, count > bound else { return false }
            // An `overflow` replaces the dropped changes. Further drops extend it.
            let place = policy == .dropOldest ? 0 : bound
            if policy == .dropOldest {
                waiting?.removeFirst(count - bound)
            } else {
                waiting?.removeLast(count - bound - 1)
            }
            waiting?[place].action = .overflow
            waiting?[place].previousPath = nil
            return policy == .finish
        }
        if isOver == true { finish() }
    }

    func finish() { mailbox.finish() }

    /// All waiting changes; nil at the end.
    func next() async -> [FileChange]? { await mailbox.next() }
}
