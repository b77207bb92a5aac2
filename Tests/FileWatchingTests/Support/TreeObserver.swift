@testable import FileWatching
import RingDispatch
import SystemPackage
import Testing

/// A watcher that records all its changes, and can wait until all earlier changes are reported.
final class TreeObserver: Sendable {
    struct Received: Sendable {
        let change: FileChange
        /// When the handler was called.
        let nanoseconds: Int64
    }

    let watcher: FileTreeWatcher
    let queue = DispatchQueue(label: "test.tree")
    /// In order of arrival, without those of the fence.
    let received = Watched<[Received]>([])
    let errors = Watched<[FileTreeError]>([])
    /// A folder that is a root as well. The kernel keeps the order of events: when a file in the
    /// fence is reported, all changes before the file's creation have been reported.
    ///
    /// A second file is moved out of the fence: the watcher reports that removal late, because it
    /// first waits for the arrival.
    private let fence = Folder(in: Folder.placeForMany)
    private let beyond = Folder(in: Folder.placeForMany)
    private let fencePath: [UInt8]
    private let postCount = Watched(0)
    private let passed = Watched<Set<FenceChange>>([])
    private let lastSequence = Watched<UInt64>(0)
    private let sequenceGaps = Watched(0)
    private let cancelled = Gate()

    private struct FenceChange: Hashable {
        let action: FileChange.Action
        let path: [UInt8]
    }

    /// Watches, and waits until the watches are in place.
    init(
        _ roots: [FilePath], options: FileTreeOptions = .init(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        fencePath = fence.path.bytes
        _ = Files.write(fence("0"), [])
        watcher = try FileTreeWatcher(
            roots + [fence.path], options: options, queue: queue)
        let isReady = Gate()
        watcher.setReadyHandler { isReady.open() }
        watcher.setCancelHandler { [cancelled] in cancelled.open() }
        watcher.setErrorHandler { [errors] error in errors.append(error) }
        watcher.setEventHandler { [unowned self] changes in receive(changes) }
        watcher.activate()
        expectOpens(isReady, "the watches are not in place", sourceLocation: sourceLocation)
        if options.reportsExisting {
            // Otherwise its creation and removal would cancel out within the window.
            let post = FenceChange(action: .created, path: fence("0").bytes)
            expectEventually(passed, sourceLocation: sourceLocation) { $0.contains(post) }
        }
    }

    private func receive(_ changes: [FileChange]) {
        let now = Disk.nowNanoseconds()
        var ofFence: [FenceChange] = []
        var others: [Received] = []
        var gaps = 0
        var last = lastSequence.value
        for change in changes {
            if change.sequence != last + 1 { gaps += 1 }
            last = change.sequence
            let path = change.path.bytes
            if path.isPath(below: fencePath) {
                ofFence.append(FenceChange(action: change.action, path: path))
            } else {
                others.append(Received(change: change, nanoseconds: now))
            }
        }
        lastSequence.update { $0 = last }
        sequenceGaps.increment(by: gaps)
        received.update { $0 += others }
        // Waking the waiter of the fence also makes it check the other conditions.
        passed.update { $0.formUnion(ofFence) }
    }

    /// Waits until all changes so far are reported.
    @discardableResult
    func passFence(sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
        let number = postCount.increment()
        let (new, old) = (fence("\(number)"), fence("\(number - 1)"))
        let isMoved = Files.write(new, []) && Files.rename(old, beyond("\(number - 1)"))
        #expect(isMoved, sourceLocation: sourceLocation)
        let expected = [
            FenceChange(action: .created, path: new.bytes),
            FenceChange(action: .removed, path: old.bytes),
        ]
        let hasPassed = passed.wait(seconds: Patience.seconds) {
            $0.isSuperset(of: expected)
        }
        #expect(
            hasPassed, "the fence's change did not come; errors: \(errors.value)",
            sourceLocation: sourceLocation)
        return hasPassed
    }

    /// The watcher's snapshot.
    func snapshot() -> [FileTreeEntry]? {
        let result = Watched<[FileTreeEntry]?>(nil)
        watcher.snapshot { entries in result.update { $0 = entries } }
        _ = result.wait(seconds: Patience.seconds) { $0 != nil }
        return result.value
    }

    /// The differences between the watcher's snapshot and the disk.
    func snapshotDifferences(
        below roots: [FilePath], isIgnored: ([UInt8]) -> Bool = { _ in false }
    ) -> [String] {
        guard let snapshot = snapshot() else { return ["no snapshot arrived"] }
        let entries = Dictionary(snapshot.map { ($0.path.bytes, $0) }) { first, _ in first }
        var differences: [String] = []
        var disk: [[UInt8]: Disk.Entry] = [:]
        for root in roots { disk.merge(Disk.tree(at: root)) { first, _ in first } }
        for (path, entry) in disk where !isIgnored(path) {
            guard let ours = entries[path] else {
                differences.append("the snapshot lacks \(escaped(path))")
                continue
            }
            if ours.kind != entry.kind || ours.inode != entry.inode {
                differences.append("the snapshot has another \(escaped(path))")
            }
        }
        for path in entries.keys where disk[path] == nil && !isIgnored(path) {
            guard !path.isPath(below: fencePath) else { continue }
            differences.append("the snapshot still has \(escaped(path))")
        }
        return differences
    }

    /// Ends the watcher. To be called for each observer.
    func end(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(sequenceGaps.value == 0, "sequence numbers", sourceLocation: sourceLocation)
        watcher.cancel()
        expectOpens(cancelled, "no cancel handler", sourceLocation: sourceLocation)
    }
}
