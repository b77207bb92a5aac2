internal import LinuxPlatform
internal import RingDispatch

/// What a watch is for.
enum WatchPurpose: Hashable, Sendable {
    /// A node of the tree: its entries are watched.
    case node(NodeNumber)
    /// A root with this index: a folder that is watched for one name on the path to the root, or
    /// the file that the root is.
    case root(Int)
}

/// Notes what each watch is for.
extension WatchEngine {
    func note(_ purpose: WatchPurpose, of watch: Int32) {
        let isKnown = confined.purposes[watch]?.contains(purpose) == true
        if !isKnown { confined.purposes[watch, default: []].append(purpose) }
    }

    /// Removes a purpose, and the watch if it has no other one.
    func remove(_ purpose: WatchPurpose, of watch: Int32) {
        confined.purposes[watch]?.removeAll { $0 == purpose }
        removeIfUnused(watch)
    }

    func removeIfUnused(_ watch: Int32) {
        guard confined.purposes[watch, default: []].isEmpty else { return }
        confined.purposes[watch] = nil
        reader.inotify.unwatch(watch)
    }
}
