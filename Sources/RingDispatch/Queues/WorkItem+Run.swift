extension SubmittedItem {
    /// Runs the item's block on the innermost frame's queue, then leaves its group.
    @inline(__always)
    consuming func callOut() {
        if let block = block.take() { block() }
        group?._withUnsafeGuaranteedRef { $0.itemHasRun() }
    }
}

extension QueueLayer {
    /// Performed once, by the first queue.
    static let install: Void = set(
        run: { workItem, context in
            workItem.assumingMemoryBound(to: WorkItem.self).run(
                context.assumingMemoryBound(to: ThreadContext.self))
        },
        label: { queue in
            Unmanaged<DispatchQueue>.fromOpaque(queue)._withUnsafeGuaranteedRef { $0.label }
        })
}

extension WorkItemPointer {
    /// Runs a work item that was taken from a run queue, or from a queue that is being drained.
    @inline(__always)
    func run(_ context: Context) {
        switch pointee.kind {
        case .queue:
            guard let object = pointee.object else { return }
            Unmanaged<DispatchQueue>.fromOpaque(object).takeRetainedValue().drain(context)
        case .object:
            guard let object = pointee.object else { return }
            let reference = Unmanaged<Runnable>.fromOpaque(object)
            let priority = pointee.priority
            let isOver = reference._withUnsafeGuaranteedRef { $0.run(priority: priority, context) }
            if isOver { reference.release() }
        case .block:
            if item.pointee.through != nil {
                runThrough(context)
            } else if let frame = context.pointee.frame {
                // Inside a drain, which has set the frame.
                precondition(frame.pointee.isDrain, "a block ran outside any queue")
                context.pointee.items.take(self).callOut()
            } else {
                runOnRoot(context)
            }
        case .nested:
            runNested(context)
        case .swiftJob:
            runTask(context)
        case .waiter:
            preconditionFailure("a waiting thread is let in by its queue only")
        }
    }

    private func runOnRoot(_ context: Context) {
        let queue =
            pointee.object.map { Unmanaged<DispatchQueue>.fromOpaque($0) }
            ?? GlobalQueues.unmanaged(priority: pointee.priority)
        withSharedFrame(queue, context) { context.pointee.items.take(self).callOut() }
    }

    /// One of the main actor, on the main queue, or one of any task.
    @inline(never)
    private func runTask(_ context: Context) {
        if context.pointee.frame != nil { return SwiftJob(self).runOnMainActor() }
        let queue = GlobalQueues.unmanaged(priority: pointee.priority)
        withSharedFrame(queue, context) { SwiftJob(self).run() }
    }

    /// An item of a concurrent queue: runs on it, then frees its place there.
    private func runThrough(_ context: Context) {
        guard let through = item.pointee.through else { return }
        withSharedFrame(through, context) { context.pointee.items.take(self).callOut() }
        through._withUnsafeGuaranteedRef { $0.leaveShared(context) }
    }

    /// A work item of a concurrent queue that passes through another concurrent queue, or has no
    /// item.
    private func runNested(_ context: Context) {
        guard let through = item.pointee.through, let object = pointee.object else { return }
        _ = context.pointee.items.take(self)
        let inner = object.assumingMemoryBound(to: WorkItem.self)
        withSharedFrame(through, context) { inner.run(context) }
        through._withUnsafeGuaranteedRef { $0.leaveShared(context) }
    }
}
