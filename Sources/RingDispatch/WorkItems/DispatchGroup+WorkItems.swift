extension DispatchGroup {
    /// Submits a work item to a queue when the group becomes empty; at once if it is.
    public func notify(queue: DispatchQueue, work: DispatchWorkItem) {
        submit(to: queue, work.qos, work.flags) { work.perform() }
    }
}
