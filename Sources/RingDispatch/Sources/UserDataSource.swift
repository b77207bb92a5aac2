internal import LinuxPlatform
internal import Synchronization

/// A source that the program triggers by merging values.
final class UserDataSource: SourceCore {
    // Safety: `latched` belongs to the invoker, the rest is atomic.
    enum Merge {
        case add
        case or
        case replace
    }

    let merge: Merge
    /// The values merged since the handler's last call; 0: none. A merge (releasing) pairs with the
    /// invoker's exchange (acquiring).
    private let pending = Atomic<UInt>(0)
    @exclusivity(unchecked) private var latched: UInt = 0

    init(merge: Merge, queue: DispatchQueue?) {
        self.merge = merge
        super.init(queue: queue, hasKernelEvents: false)
    }

    override var purpose: String { "user-data source" }

    override func latch() -> Bool {
        latched = pending.exchange(0, ordering: .acquiring)
        return latched != 0
    }

    func mergeData(_ value: UInt) {
        guard value != 0 || merge == .replace, !current.isCancelled else { return }
        let old: UInt
        switch merge {
        case .add: old = pending.wrappingAdd(value, ordering: .acquiringAndReleasing).oldValue
        case .or: old = pending.bitwiseOr(value, ordering: .acquiringAndReleasing).oldValue
        case .replace: old = pending.exchange(value, ordering: .acquiringAndReleasing)
        }
        // The merge that changes the value from 0 wakes the source.
        if old == 0 && value != 0 { wake(Context.current) }
    }

    override var data: UInt { latched }
}
