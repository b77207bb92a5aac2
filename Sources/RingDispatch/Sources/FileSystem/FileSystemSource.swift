internal import LinuxPlatform
internal import Synchronization

/// A file-system source: reports events of a file or directory.
final class FileSystemSource: MergingSource, @unchecked Sendable {
    // Safety: `owned` belongs to the invoker, `node` to `watches`; the rest is constant, atomic or
    // locked.
    typealias Event = DispatchSource.FileSystemEvent

    let descriptor: Int32
    let mask: Event
    let watches: FileSystemWatches
    /// The source's own descriptor, if it was made for a path.
    private var owned: OwnedDescriptor?
    /// The file. Guarded by the lock of `watches`.
    @exclusivity(unchecked) var node: FileSystemNode?

    /// In `pending`: `error` was set.
    private static let failed: UInt = 1 << 31
    private let failure = Locked<FileSystemWatchError?>(nil)

    init(
        descriptor: Int32, mask: Event, queue: DispatchQueue?, watches: FileSystemWatches = .shared
    ) {
        self.descriptor = descriptor
        self.mask = mask
        self.watches = watches
        super.init(queue: queue, hasKernelEvents: true)
    }

    convenience init(owning owned: consuming OwnedDescriptor, mask: Event, queue: DispatchQueue?) {
        self.init(descriptor: owned.number, mask: mask, queue: queue)
        self.owned = consume owned
    }

    override var handle: UInt { UInt(truncatingIfNeeded: descriptor) }
    override var purpose: String { "file-system source of descriptor \(descriptor)" }

    // MARK: for the watches

    /// Merges the events that the mask asks for. Returns true if the source must be woken.
    func merge(_ events: Event) -> Bool {
        merge(bits: events.intersection(mask).rawValue)
    }

    /// Sets the reason why no more events follow. Returns true if the source must be woken.
    func fail(_ error: FileSystemWatchError) -> Bool {
        failure.withLock { $0 = error }
        return merge(bits: FileSystemSource.failed)
    }

    var hasPendingEvents: Bool { pending.load(ordering: .acquiring) != 0 }

    private func merge(bits: UInt) -> Bool {
        guard bits != 0 else { return false }
        return pending.bitwiseOr(bits, ordering: .acquiringAndReleasing).oldValue == 0
    }

    // MARK: for the invoker

    /// The watch reports all later events: the source stays armed.
    override func arm(_ context: Context) -> Bool {
        if watches.register(self) { wake(context) }
        return true
    }

    override func detach() {
        if current.isArmed { watches.unregister(self) }
        owned = nil
    }

    // MARK: for the handler

    override var data: UInt { super.data & ~FileSystemSource.failed }

    var error: FileSystemWatchError? { failure.withLock { $0 } }
}
