internal import LinuxPlatform

/// An operation of a loop's back end that ends with one completion: a file request, or a wait until
/// a descriptor is ready.
///
/// While it is in flight, the completion's token holds a reference to it.
package class LoopOperation: @unchecked Sendable {
    // Safety: `loop` is written before the operation is handed over; `isInFlight` belongs to the
    // loop.
    // The loop that the operation was last handed to.
    @exclusivity(unchecked) final var loop: EventLoop?
    @exclusivity(unchecked) final var isInFlight = false

    init() {}

    // MARK: for subclasses

    /// Submits the operation to the back end with `token`. On the loop.
    func submit(to loop: EventLoop, token: UInt64) {}

    /// Requests an early end. On the loop. The completion follows in any case.
    func withdraw(from loop: EventLoop, token: UInt64) {}

    /// Decrements the counter that `submit` incremented.
    func noteEnded(on loop: EventLoop) {}

    /// The operation has completed. Runs in the loop's own code: submit user code to a queue.
    func ended(result: Int32, _ context: Context) {}

    // MARK: from any thread

    /// Starts the operation: directly if the caller is in the loop's own code, otherwise by a
    /// request.
    final func begin(on loop: EventLoop, _ context: Context) {
        if context.pointee.isInLoop, context.pointee.loop == loop {
            begin(on: loop)
        } else {
            loop.request(.start(self), from: context)
        }
    }

    /// Requests an early end. The operation must have been handed over before.
    final func requestEnd(_ context: Context) {
        loop?.request(.cancel(self), from: context)
    }

    // MARK: on the loop

    func begin(on loop: EventLoop) {
        isInFlight = true
        submit(to: loop, token: CompletionToken.operation(Unmanaged.passRetained(self)))
    }

    final func end(on loop: EventLoop) {
        guard isInFlight else { return }
        withdraw(
            from: loop, token: CompletionToken.operation(Unmanaged.passUnretained(self)))
    }

    /// Handles the completion of the operation; consumes its reference.
    static func completed(
        _ reference: Unmanaged<LoopOperation>, result: Int32, from loop: EventLoop,
        _ context: Context
    ) {
        let operation = reference.takeRetainedValue()
        operation.isInFlight = false
        operation.noteEnded(on: loop)
        operation.ended(result: result, context)
    }
}
