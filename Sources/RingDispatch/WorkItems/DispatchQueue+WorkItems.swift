extension DispatchQueue {
    /// Submits a work item. A cancelled item is not run, but counts as done.
    public final func async(execute workItem: DispatchWorkItem) {
        submit(group: nil, qos: workItem.qos, flags: workItem.flags) { workItem.perform() }
    }

    /// Submits a work item. The group is entered now and left when the item is done.
    public final func async(group: DispatchGroup, execute workItem: DispatchWorkItem) {
        submit(group: group, qos: workItem.qos, flags: workItem.flags) { workItem.perform() }
    }

    /// Runs a work item on the queue and returns when it is done. A cancelled item is not run.
    public final func sync(execute workItem: DispatchWorkItem) {
        sync(flags: workItem.flags) { workItem.perform() }
    }

    /// Submits a work item and returns when it is done. A cancelled item is not run.
    public final func asyncAndWait(execute workItem: DispatchWorkItem) {
        asyncAndWait(flags: workItem.flags) { workItem.perform() }
    }
}
