/// A closure of the program. Its calls are serialized, so it need not be `Sendable`.
struct IOHandler<Closure>: @unchecked Sendable {
    // Safety: an operation's calls are made one after the other; the others are called once.
    let call: Closure

    init(_ closure: Closure) { call = closure }
}

/// The cleanup handler of a channel, and its queue.
struct IOCleanup: Sendable {
    private let queue: DispatchQueue
    private let handler: IOHandler<(Int32) -> Void>

    init(queue: DispatchQueue, _ handler: @escaping (Int32) -> Void) {
        self.queue = queue
        self.handler = IOHandler(handler)
    }

    func submit(_ code: Int32) {
        queue.submit { handler.call(code) }
    }
}

/// A barrier's block and its queue.
struct IOBarrier: Sendable {
    let channel: IOChannel
    let queue: DispatchQueue
    let block: IOHandler<() -> Void>
}
