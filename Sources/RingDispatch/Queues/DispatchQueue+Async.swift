extension DispatchQueue {
    final func submit(_ work: @escaping Block) {
        let context = Context.current
        push(
            context.pointee.items.make(
                SubmittedItem(kind: .block, priority: priority, block: work)), context)
    }

    /// A work item with its own quality of service; the caller pushes it.
    final func makeWorkItem(
        _ qos: DispatchQoS, _ flags: DispatchWorkItemFlags, _ context: Context,
        _ work: @escaping Block
    ) -> WorkItemPointer {
        context.pointee.items.make(
            SubmittedItem(
                kind: .block, priority: itemPriority(qos, flags),
                isBarrier: flags.contains(.barrier) && kind == .concurrent, block: work))
    }

    /// The item's own class applies if it is enforced or if the queue has none.
    private final func itemPriority(_ itemQoS: DispatchQoS, _ flags: DispatchWorkItemFlags) -> UInt8
    {
        guard itemQoS.qosClass != .unspecified, !flags.contains(.noQoS) else { return priority }
        let own = itemQoS.qosClass.priorityIndex
        if flags.contains(.enforceQoS) { return max(own, priority) }
        return qos.qosClass == .unspecified ? own : priority
    }
}
