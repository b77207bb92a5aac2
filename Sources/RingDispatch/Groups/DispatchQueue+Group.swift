extension DispatchQueue {
    /// Submits a block and returns at once. `dispatch_async`, `dispatch_group_async`,
    /// `dispatch_barrier_async`.
    /// - Parameters:
    ///   - group: entered now, left when the block has run.
    ///   - qos: the block's own class; it applies with `.enforceQoS`, or on a queue without a
    ///     class.
    ///   - flags: `.barrier` runs the block alone on a concurrent queue.
    ///   - work: the block. It is released after its run.
    @inline(__always)
    public final func async(
        group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [], execute work: @escaping @Sendable () -> Void
    ) {
        if group == nil && flags.rawValue == 0 && qos.qosClass == .unspecified {
            submit(work)
        } else {
            submit(group: group, qos: qos, flags: flags, work)
        }
    }

    /// `async` for a block that is not `Sendable`: you ensure that no two threads access its
    /// captures at the same time.
    public final func asyncUnsafe(
        group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [], execute work: @escaping () -> Void
    ) {
        // Safety: the caller promises it.
        nonisolated(unsafe) let work = work
        async(group: group, qos: qos, flags: flags) { work() }
    }

    final func submit(
        group: DispatchGroup?, qos: DispatchQoS, flags: DispatchWorkItemFlags,
        _ work: @escaping Block
    ) {
        let context = Context.current
        let workItem = makeWorkItem(qos, flags, context, work)
        if let group {
            group.enterHolding()
            workItem.item.pointee.group = Unmanaged.passUnretained(group)
        }
        push(workItem, context)
    }
}
