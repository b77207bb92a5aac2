internal import Ring

extension DispatchQueue {
    /// Submits a block and returns at once. `dispatch_async`, `dispatch_group_async`,
    /// `dispatch_barrier_async`.
    /// - Parameters:
    ///   - group: entered now, left when the block has run.
    ///   - qos: with `.enforceQoS`, or on a queue without a class, the block's own class.
    ///   - flags: `.barrier` runs the block alone on a concurrent queue.
    @preconcurrency
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

    final func submit(_ work: @escaping Block) {
        let context = Context.current
        push(context.pointee.items.make(Item(kind: .block, band: band, block: work)), context)
    }

    final func submit(
        group: DispatchGroup?, qos: DispatchQoS, flags: DispatchWorkItemFlags,
        _ work: @escaping Block
    ) {
        let context = Context.current
        group?.enterHolding()
        let job = context.pointee.items.make(
            Item(
                kind: .block, band: itemBand(qos, flags),
                isBarrier: flags.contains(.barrier) && kind == .concurrent, block: work,
                group: group.map { Unmanaged.passUnretained($0) }))
        push(job, context)
    }

    /// Submits a work item. A cancelled one is not run, and still counts as done.
    public final func async(execute workItem: DispatchWorkItem) {
        submit(workItem, group: nil)
    }

    /// Submits a work item; the group is entered now and left when the item is done.
    public final func async(group: DispatchGroup, execute workItem: DispatchWorkItem) {
        submit(workItem, group: group)
    }

    final func submit(_ workItem: DispatchWorkItem, group: DispatchGroup?) {
        let context = Context.current
        group?.enterHolding()
        push(makeJob(workItem, group: group, context), context)
    }

    final func makeJob(
        _ workItem: DispatchWorkItem, group: DispatchGroup?, _ context: Context
    ) -> JobPointer {
        let flags = workItem.flags
        return context.pointee.items.make(
            Item(
                kind: .workItem, band: itemBand(workItem.qos, flags),
                isBarrier: flags.contains(.barrier) && kind == .concurrent,
                object: Unmanaged.passRetained(workItem).toOpaque(),
                group: group.map { Unmanaged.passUnretained($0) }))
    }

    /// The band of one item: its own class where it is enforced or the queue has none.
    final func itemBand(_ itemQoS: DispatchQoS, _ flags: DispatchWorkItemFlags) -> UInt8 {
        guard itemQoS.qosClass != .unspecified, !flags.contains(.noQoS) else { return band }
        let own = UInt8(itemQoS.qosClass.priorityIndex)
        if flags.contains(.enforceQoS) { return max(own, band) }
        return qos.qosClass == .unspecified ? own : band
    }
}
