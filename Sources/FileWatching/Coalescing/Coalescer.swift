/// Coalesces the changes of a window.
///
/// Within a batch of changes that each concern one file or empty folder, what counts for a path
/// is where its object was at the beginning and where it is at the end. A change that concerns all
/// below a path, like the renaming of a folder, ends a batch: nothing is merged across it.
final class Coalescer {
    private var merged: [FileChange] = []
    private var batch = CoalescingBatch()

    /// - Parameters:
    ///   - isWhole: it concerns all below its path.
    ///   - replaced: what a renaming has put something else in the place of.
    func add(_ change: FileChange, isWhole: Bool, replaced: FileChange.Kind?) {
        if isWhole || change.action == .overflow || change.action == .rescan {
            closeBatch()
            if !extendRenaming(with: change) { merged.append(change) }
        } else {
            batch.add(change, replaced: replaced)
        }
    }

    /// A folder that was renamed just before is renamed again.
    private func extendRenaming(with change: FileChange) -> Bool {
        guard let last = merged.indices.last, merged[last].action == .renamed,
            change.action == .renamed, change.previousPath == merged[last].path,
            change.path != merged[last].previousPath
        else { return false }
        merged[last].path = change.path
        merged[last].timeNanoseconds = change.timeNanoseconds
        return true
    }

    private func closeBatch() {
        batch.close { merged.append($0) }
    }

    /// Calls `body` with the merged changes, in order, and starts an empty window.
    func flush(_ body: (FileChange) -> Void) {
        closeBatch()
        for change in merged { body(change) }
        merged.removeAll(keepingCapacity: merged.count < 1024)
    }
}
