/// A barrier's block and its queue.
struct IOBarrier: @unchecked Sendable {
    // Safety: called once.
    let channel: IOChannel?
    let queue: DispatchQueue
    let block: () -> Void

    func submit(_ completion: @escaping @Sendable () -> Void) {
        queue.submit {
            block()
            completion()
        }
    }
}
