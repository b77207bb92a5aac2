internal import Synchronization

/// A source that the program triggers by merging values.
final class UserDataSource: MergingSource {
    enum Merge {
        case add
        case or
        case replace
    }

    let merge: Merge

    init(merge: Merge, queue: DispatchQueue?) {
        self.merge = merge
        super.init(queue: queue, hasKernelEvents: false)
    }

    override var purpose: String { "user-data source" }

    func mergeData(_ value: UInt) {
        guard value != 0 || merge == .replace, !current.isCancelled else { return }
        let old: UInt
        switch merge {
        case .add: old = pending.wrappingAdd(value, ordering: .acquiringAndReleasing).oldValue
        case .or: old = pending.bitwiseOr(value, ordering: .acquiringAndReleasing).oldValue
        case .replace: old = pending.exchange(value, ordering: .acquiringAndReleasing)
        }
        if old == 0 && value != 0 { wake(Context.current) }
    }
}
