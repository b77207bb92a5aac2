extension DispatchQueue {
    /// `async` for a block that is not `Sendable`. That no two threads touch what it captures at
    /// the same time is for the caller to see to.
    public final func asyncUnsafe(
        group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [], execute work: @escaping () -> Void
    ) {
        // Safety: the caller's promise.
        nonisolated(unsafe) let work = work
        async(group: group, qos: qos, flags: flags) { work() }
    }
}
