internal import LinuxPlatform
internal import Synchronization

/// A source whose events merge into a number.
class MergingSource: SourceCore {
    // Safety: `latched` belongs to the invoker, `pending` is atomic.
    /// What has happened since the handler's last call; 0: nothing. A merge (releasing) pairs with
    /// the invoker's exchange (acquiring). The merge that changes it from 0 wakes the source.
    final let pending = Atomic<UInt>(0)
    @exclusivity(unchecked) private final var latched: UInt = 0

    override final var staysArmed: Bool { true }

    override final func latch() -> Bool {
        latched = pending.exchange(0, ordering: .acquiring)
        return latched != 0
    }

    override var data: UInt { latched }
}
