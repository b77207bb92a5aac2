internal import SystemPackage

/// Coalesces the changes of a window.
///
/// Within a batch of changes that each concern one file or empty folder, only the initial and the
/// final path of each object count. A change that concerns a whole subtree, such as a folder's
/// renaming, ends the batch: nothing is merged across it.
final class Coalescer {
    /// The outcome of the window's earlier batches, and the changes between them.
    private var merged: [FileChange] = []
    /// The kind of the entry that the last whole renaming replaced.
    private var lastReplaced: FileChange.Kind?

    /// The changes of the batch, in order of arrival.
    private var changes: [FileChange] = []
    /// The files and folders that the changes concern.
    private var objects: [Object] = []
    /// The current object at each path.
    private var present: [FilePath: Int] = [:]
    /// The object that was at each path when the batch started.
    private var initial: [FilePath: Int] = [:]

    private struct Object {
        /// The path at the start of the batch; nil if the object did not exist.
        var start: FilePath?
        /// The current path; nil if the object is gone.
        var path: FilePath?
        var kind: FileChange.Kind
        /// Index of the last change that created, moved or removed the object; without such a
        /// change, of its last change.
        var position: Int
        /// Index of the change with which the object first left its initial path.
        var leavePosition: Int?
        var isModified = false
        var hasAttributes = false
        var renamings = 0
    }

    /// - Parameters:
    ///   - isWhole: the change concerns the whole subtree.
    ///   - replaced: the kind of the entry that a renaming replaced.
    func add(_ change: FileChange, isWhole: Bool, replaced: FileChange.Kind?) {
        guard isWhole || change.action == .overflow || change.action == .rescan else {
            return addToBatch(change, replaced)
        }
        let count = merged.count
        closeBatch()
        if merged.count > count || !extendRenaming(with: change) { merged.append(change) }
        lastReplaced = replaced
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
        closeBatch()
        return exchange(&merged, with: [])
    }

    // MARK: the batch

    private func addToBatch(_ change: FileChange, _ replaced: FileChange.Kind?) {
        let position = changes.count
        changes.append(change)
        switch change.action {
        case .created:
            if let old = present[change.path] { leave(old, at: position) }
            objects.append(
                Object(start: nil, path: change.path, kind: change.kind, position: position))
            present[change.path] = objects.count - 1
        case .removed:
            leave(object(at: change.path, change.kind, position), at: position)
        case .renamed:
            guard let previous = change.previousPath else { return }
            let moved = object(at: previous, change.kind, position)
            if let replaced {
                leave(object(at: change.path, replaced, position), at: position)
            }
            present[previous] = nil
            present[change.path] = moved
            objects[moved].path = change.path
            if objects[moved].leavePosition == nil { objects[moved].leavePosition = position }
            objects[moved].position = position
            objects[moved].renamings += 1
        case .modified, .attributes:
            let index = object(at: change.path, change.kind, position)
            if change.action == .modified {
                objects[index].isModified = true
            } else {
                objects[index].hasAttributes = true
            }
            let object = objects[index]
            if object.start == object.path, object.renamings == 0 {
                objects[index].position = position
            }
        case .rescan, .overflow: break
        }
    }

    /// The object at a path. An unknown one existed at the start of the batch.
    private func object(
        at path: FilePath, _ kind: FileChange.Kind, _ position: Int
    ) -> Int {
        if let index = present[path] { return index }
        objects.append(Object(start: path, path: path, kind: kind, position: position))
        present[path] = objects.count - 1
        if initial[path] == nil { initial[path] = objects.count - 1 }
        return objects.count - 1
    }

    private func leave(_ index: Int, at position: Int) {
        if let path = objects[index].path { present[path] = nil }
        objects[index].path = nil
        objects[index].position = position
        if objects[index].leavePosition == nil { objects[index].leavePosition = position }
    }

    /// Passes on the coalesced changes, or all if they cannot be coalesced. Empties the batch.
    private func closeBatch() {
        merged += outcome() ?? changes
        (changes, objects, present, initial) = ([], [], [:], [:])
    }

    /// The coalesced changes. Nil if no order of them gives the final state, for example when two
    /// files exchange their names.
    private func outcome() -> [FileChange]? {
        // Removals go before other changes at their position, and the rest by `index`: a renamed
        // file's `modified` follows its `renamed`.
        var reported: [(order: (position: Int, rank: Int, index: Int), change: FileChange)] = []
        for (index, object) in objects.enumerated() {
            guard isPossible(object, index) else { return nil }
            guard let action = action(of: object) else { continue }
            var change = changes[object.position]
            change.action = action
            change.kind = object.kind
            change.path = object.path ?? object.start ?? change.path
            change.previousPath = action == .renamed ? object.start : nil
            // A removal is reported at the time when the object left, before its replacement.
            let leave = action == .removed ? object.leavePosition : nil
            let rank = action == .removed ? 0 : 1
            reported.append(((leave ?? object.position, rank, reported.count), change))
            guard action == .renamed, object.isModified || object.hasAttributes else { continue }
            change.action = object.isModified ? .modified : .attributes
            change.previousPath = nil
            reported.append(((object.position, 1, reported.count), change))
        }
        return reported.sorted { $0.order < $1.order }.map(\.change)
    }

    private func action(of object: Object) -> FileChange.Action? {
        switch (object.start, object.path) {
        case (nil, nil): return nil
        case (nil, .some(let path)):
            // The entry replaced one of the same kind: only the content of the path changed.
            guard let old = initial[path].map({ objects[$0] }), old.path == nil else {
                return .created
            }
            return old.kind == object.kind ? .modified : .created
        case (.some(let start), nil):
            // The change of its replacement implies the removal.
            if let successor = present[start] {
                let isRenamed = objects[successor].start != nil
                if isRenamed || objects[successor].kind == object.kind { return nil }
            }
            return .removed
        case (.some(let start), .some(let path)):
            if start != path { return .renamed }
            return object.isModified ? .modified : object.hasAttributes ? .attributes : nil
        }
    }

    /// Whether the object's coalesced change can be applied at its position.
    private func isPossible(_ object: Object, _ index: Int) -> Bool {
        guard let path = object.path, path != object.start else { return true }
        // The path must be free: its initial object must have left before.
        if let owner = initial[path], owner != index, objects[owner].path != nil,
            objects[owner].position > object.position
        {
            return false
        }
        guard let start = object.start, object.renamings > 1 else { return true }
        // When the object is renamed, no other object may have taken its old path yet, and the
        // folder of the old path must still exist.
        if let successor = present[start], objects[successor].position < object.position {
            return false
        }
        var folder = start.removingLastComponent()
        while folder.lastComponent != nil {
            if let index = initial[folder], objects[index].path == nil,
                objects[index].position < object.position
            {
                return false
            }
            folder.removeLastComponent()
        }
        return true
    }
}
