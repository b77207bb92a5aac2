internal import LinuxPlatform

/// Something that a loop's kernel is asked for and that ends with one completion: a file request,
/// or a wait until a descriptor is ready.
///
/// While it is out, the completion's token holds a reference to it.
package class LoopOperation: @unchecked Sendable {
    // Safety: `loop` is written before the operation is handed over; the flag is the loop's.
    /// Where the operation was handed to last.
    @exclusivity(unchecked) final var loop: EventLoop?
    @exclusivity(unchecked) final var isOut = false

    init() {}

    // MARK: what kinds of operations differ in

    /// Asks the loop's kernel. On the loop, with the token to ask with.
    func submit(to loop: EventLoop, token: UInt64) {}

    /// Asks for an early end. On the loop; the completion follows in any case.
    func withdraw(from loop: EventLoop, token: UInt64) {}

    /// Counts down what `submit` counted up.
    func noteEnded(on loop: EventLoop) {}

    /// The kernel is done. In the loop's own code: what user code is to do goes to a queue.
    func ended(result: Int32, _ context: Context) {}

    // MARK: from any thread

    /// Hands the operation to its loop: at once in the loop's own code, else by a request.
    final func begin(on loop: EventLoop, _ context: Context) {
        if context.pointee.isInLoop, context.pointee.loop == loop {
            begin(on: loop)
        } else {
            loop.request(.start(self), from: context)
        }
    }

    /// Asks for the operation's early end; it was handed over before, or the request is idle.
    final func requestEnd(_ context: Context) {
        loop?.request(.cancel(self), from: context)
    }

    // MARK: on the loop

    func begin(on loop: EventLoop) {
        isOut = true
        submit(to: loop, token: CompletionToken.operation(Unmanaged.passRetained(self)))
    }

    final func end(on loop: EventLoop) {
        guard isOut else { return }
        withdraw(
            from: loop, token: CompletionToken.operation(Unmanaged.passUnretained(self)))
    }

    /// The completion of what `begin` asked for; takes its reference over.
    static func completed(
        _ reference: Unmanaged<LoopOperation>, result: Int32, from loop: EventLoop,
        _ context: Context
    ) {
        let operation = reference.takeRetainedValue()
        operation.isOut = false
        operation.noteEnded(on: loop)
        operation.ended(result: result, context)
    }
}
