/// Coalesces the changes of a window.
///
/// Within a batch of changes that each concern one file or empty folder, only the initial and the
/// final path of each object count. A change that concerns a whole subtree, such as a folder's
/// renaming, ends the batch: nothing is merged across it.
final class Coalescer {
    private var merged: [FileChange] = []
    private var batch = CoalescingBatch()
    /// The kind of the entry that the last whole renaming replaced.
    private var lastReplaced: FileChange.Kind?

    /// - Parameters:
    ///   - isWhole: the change concerns the whole subtree.
    ///   - replaced: the kind of the entry that a renaming replaced.
    func add(_ change: FileChange, isWhole: Bool, replaced: FileChange.Kind?) {
        if isWhole || change.action == .overflow || change.action == .rescan {
            let closed = batch.close()
            merged += closed
            if !closed.isEmpty || !extendRenaming(with: change) { merged.append(change) }
            lastReplaced = replaced
        } else {
            batch.add(change, replaced: replaced)
        }
    }

    /// Merges the renaming of a folder with the folder's previous renaming, unless that replaced
    /// an entry: the removal would be lost.
    private func extendRenaming(with change: FileChange) -> Bool {
        guard let last = merged.indices.last, merged[last].action == .renamed,
            change.action == .renamed, change.previousPath == merged[last].path,
            change.path != merged[last].previousPath, lastReplaced == nil
        else { return false }
        merged[last].path = change.path
        merged[last].timeNanoseconds = change.timeNanoseconds
        return true
    }

    /// The coalesced changes, in order. Starts a new window.
    func flush() -> [FileChange] {
        defer { merged = [] }
        return merged + batch.close()
    }
}
