/// The cleanup handler of a channel, and its queue.
struct IOCleanup: @unchecked Sendable {
    // Safety: called once.
    private let queue: DispatchQueue
    private let block: (Int32) -> Void

    init(queue: DispatchQueue, _ block: @escaping (Int32) -> Void) {
        self.queue = queue
        self.block = block
    }

    func submit(_ code: Int32) {
        queue.submit { block(code) }
    }
}
