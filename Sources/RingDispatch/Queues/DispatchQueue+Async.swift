extension DispatchQueue {
    final func submit(_ work: @escaping Block) {
        let context = Context.current
        push(context.pointee.items.make(Item(kind: .block, band: band, block: work)), context)
    }

    /// A job that runs a block of some class; the caller pushes it.
    final func makeJob(
        _ qos: DispatchQoS, _ flags: DispatchWorkItemFlags, _ context: Context,
        _ work: @escaping Block
    ) -> JobPointer {
        context.pointee.items.make(
            Item(
                kind: .block, band: itemBand(qos, flags),
                isBarrier: flags.contains(.barrier) && kind == .concurrent, block: work))
    }

    /// The band of one item: its own class where it is enforced or the queue has none.
    private final func itemBand(_ itemQoS: DispatchQoS, _ flags: DispatchWorkItemFlags) -> UInt8 {
        guard itemQoS.qosClass != .unspecified, !flags.contains(.noQoS) else { return band }
        let own = UInt8(itemQoS.qosClass.priorityIndex)
        if flags.contains(.enforceQoS) { return max(own, band) }
        return qos.qosClass == .unspecified ? own : band
    }
}
