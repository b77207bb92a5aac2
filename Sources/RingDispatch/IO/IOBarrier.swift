/// A barrier's block and its queue.
struct IOBarrier: Sendable {
    // Safety: called once.
    let channel: IOChannel?
    let queue: DispatchQueue
    nonisolated(unsafe) let block: () -> Void

    func submit(_ completion: @escaping @Sendable () -> Void) {
        queue.submit {
            block()
            completion()
        }
    }
}
