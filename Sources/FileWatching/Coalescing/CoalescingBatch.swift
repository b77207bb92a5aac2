internal import SystemPackage

/// Changes that each concern one file or empty folder.
struct CoalescingBatch {
    /// As they came.
    private var changes: [FileChange] = []
    /// What they are about.
    private var objects: [Object] = []
    /// The object that is at a path now.
    private var present: [FilePath: Int] = [:]
    /// The object that was at a path at the beginning.
    private var initial: [FilePath: Int] = [:]

    private struct Object {
        /// nil: it was not there at the beginning.
        var start: FilePath?
        /// nil: it is not there any more.
        var path: FilePath?
        var kind: FileChange.Kind
        /// The last change that made, moved or removed it, or else the last at all.
        var position: Int
        /// When it first was no more where it had been at the beginning.
        var leavePosition: Int?
        var isModified = false
        var hasAttributes = false
        var renamings = 0
    }

    /// - Parameter replaced: what a renaming has put something else in the place of.
    mutating func add(_ change: FileChange, replaced: FileChange.Kind? = nil) {
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

    /// The object at a path, which was there at the beginning if nothing is known of it.
    private mutating func object(
        at path: FilePath, _ kind: FileChange.Kind, _ position: Int
    ) -> Int {
        if let index = present[path] { return index }
        objects.append(Object(start: path, path: path, kind: kind, position: position))
        present[path] = objects.count - 1
        if initial[path] == nil { initial[path] = objects.count - 1 }
        return objects.count - 1
    }

    private mutating func leave(_ index: Int, at position: Int) {
        if let path = objects[index].path { present[path] = nil }
        objects[index].path = nil
        objects[index].position = position
        if objects[index].leavePosition == nil { objects[index].leavePosition = position }
    }

    // MARK: the outcome

    /// Calls `body` with the coalesced changes, and starts an empty batch.
    mutating func close(_ body: (FileChange) -> Void) {
        guard !changes.isEmpty else { return }
        if let outcome = outcome() {
            for change in outcome { body(change) }
        } else {
            for change in changes { body(change) }
        }
        self = CoalescingBatch()
    }

    /// nil: no order of fewer changes leads there, as when two files trade their names.
    private func outcome() -> [FileChange]? {
        var reported: [(position: Int, change: FileChange)] = []
        for (index, object) in objects.enumerated() {
            guard isPossible(object, index) else { return nil }
            guard let action = action(of: object, index) else { continue }
            var change = changes[object.position]
            change.action = action
            change.kind = object.kind
            change.path = object.path ?? object.start ?? change.path
            change.previousPath = action == .renamed ? object.start : nil
            // What took its place later is reported later.
            let leave = action == .removed ? object.leavePosition : nil
            reported.append((leave ?? object.position, change))
            guard action == .renamed, object.isModified || object.hasAttributes else { continue }
            change.action = object.isModified ? .modified : .attributes
            change.previousPath = nil
            reported.append((object.position, change))
        }
        // What was replaced goes first; a renamed file's content comes behind its renaming.
        return reported.enumerated().sorted { CoalescingBatch.rank($0) < CoalescingBatch.rank($1) }
            .map(\.element.change)
    }

    private static func rank(
        _ reported: (offset: Int, element: (position: Int, change: FileChange))
    ) -> (Int, Int, Int) {
        let isRemoval = reported.element.change.action == .removed
        return (reported.element.position, isRemoval ? 0 : 1, reported.offset)
    }

    private func action(of object: Object, _ index: Int) -> FileChange.Action? {
        switch (object.start, object.path) {
        case (nil, nil): return nil
        case (nil, .some(let path)):
            // Something of its kind was there: the same name has another content now.
            return gone(at: path)?.kind == object.kind ? .modified : .created
        case (.some(let start), nil):
            // Reported with what has taken its place.
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

    /// What was at a path at the beginning, and is nowhere any more.
    private func gone(at path: FilePath) -> Object? {
        guard let index = initial[path], objects[index].path == nil else { return nil }
        return objects[index]
    }

    /// Whether the change reported for an object can be applied when its turn comes.
    private func isPossible(_ object: Object, _ index: Int) -> Bool {
        guard let path = object.path, path != object.start else { return true }
        // What was at its place has left before.
        if let owner = initial[path], owner != index, objects[owner].path != nil,
            objects[owner].position > object.position
        {
            return false
        }
        guard let start = object.start, object.renamings > 1 else { return true }
        // Nothing has taken its old place before it is renamed, and its folder still exists.
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
