/// What is called when a channel is over and nobody uses its descriptor any more.
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
