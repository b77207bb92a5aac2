internal import LinuxPlatform

/// What a loop knows of a descriptor: its entry in the set, and who waits for its events.
struct DescriptorRecord: @unchecked Sendable {
    // Safety: used under the lock of `Readiness`.
    /// Raised when the entry is removed, so that later events of it are recognized.
    var generation: UInt32 = 0
    /// The events of the entry without EPOLLET. Small fields: servers have many descriptors.
    private var kinds: UInt16 = 0
    /// A change of an edge-triggered entry makes the kernel report it again.
    private(set) var isEdgeTriggered = false
    /// Waits that have begun since the kernel last saw the number.
    var unseen: UInt8 = 0
    /// Not retained: a watch lives until it is removed.
    var watch: Unmanaged<EventReceiver>?
    var waits: [DescriptorWait] = []

    /// The events that somebody waits for.
    var wanted: UInt32 {
        let watched = watch?._withUnsafeGuaranteedRef { $0.events } ?? 0
        return waits.reduce(watched) { $0 | $1.events }
    }

    /// The events of the entry; 0: there is none.
    var registered: UInt32 {
        get { UInt32(kinds) | (isEdgeTriggered ? PollEvents.edgeTriggered : 0) }
        set {
            kinds = UInt16(truncatingIfNeeded: newValue)
            isEdgeTriggered = newValue & PollEvents.edgeTriggered != 0
        }
    }

    /// The entry is that of a watch alone. To set it again would only report, again and again, an
    /// error that lasts.
    var isAtRest: Bool { isEdgeTriggered && registered == wanted }

    func token(of descriptor: Int32) -> UInt64 {
        UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }
}
