extension DispatchGroup {
    /// Submits a work item to a queue when the work is done.
    public func notify(queue: DispatchQueue, work: DispatchWorkItem) {
        submit(to: queue, work.qos, work.flags) { work.perform() }
    }
}
