internal import LinuxPlatform
internal import RingDispatch

/// A watcher's inotify instance, and the purposes of its watches. Confined to the engine's queue,
/// except for `watch`.
final class InotifyWatches: @unchecked Sendable {
    // Safety: `purposes` belongs to the engine's queue, the rest is constant.

    /// What a watch is for.
    enum Purpose: Hashable, Sendable {
        /// A node of the tree: its entries are watched.
        case node(NodeNumber)
        /// A root with this index: a folder that is watched for one name on the path to the root,
        /// or the file that the root is.
        case root(Int)
    }

    let reader: InotifyReader
    /// By watch number. The kernel has one watch for each file, whatever leads to it.
    @exclusivity(unchecked) private(set) var purposes: [Int32: [Purpose]] = [:]

    /// Begins to read the instance's events.
    /// - Parameter handler: see `InotifyReader`.
    init(
        _ inotify: any Inotify, queue: DispatchQueue, handler: @escaping InotifyReader.Handler
    ) throws(SystemError) {
        reader = InotifyReader(inotify, queue: queue, handler: handler)
        let code = reader.begin()
        guard code != 0 else { return }
        inotify.close()
        throw SystemError(call: "epoll_ctl", code: code)
    }

    /// Ends the reading and all watches.
    func close() {
        purposes = [:]
        reader.close()
    }

    /// Watches a file, for `mask` in addition to what it is watched for, and returns the watch's
    /// number. On the engine's queue, or while that waits: `add` follows before events are read.
    func watch(
        _ place: FilePlace, _ mask: InotifyMask = .ofFolder
    ) throws(SystemError) -> Int32 {
        try reader.inotify.watch(place, for: mask, isAdding: true)
    }

    func add(_ purpose: Purpose, to number: Int32) {
        if !self[number].contains(purpose) { purposes[number, default: []].append(purpose) }
    }

    subscript(number: Int32) -> [Purpose] { purposes[number] ?? [] }

    /// Removes a purpose, and the watch if it has no other one.
    func remove(_ purpose: Purpose, from number: Int32) {
        purposes[number]?.removeAll { $0 == purpose }
        removeIfUnused(number)
    }

    func removeIfUnused(_ number: Int32) {
        guard self[number].isEmpty else { return }
        forget(number)
        reader.inotify.unwatch(number)
    }

    /// Called when the kernel has ended the watch.
    func forget(_ number: Int32) { purposes[number] = nil }
}
