internal import Ring

/// Something that a lane's kernel is asked for and that ends with one completion: a file request,
/// or a wait until a descriptor is ready.
///
/// While it is out, the completion's token holds a reference to it.
package class LaneOperation: @unchecked Sendable {
    // Safety: `lane` is written before the operation is handed over; the flag is the lane's.
    /// Where the operation was handed to last.
    @exclusivity(unchecked) final var lane: Lane?
    @exclusivity(unchecked) final var isOut = false

    init() {}

    // MARK: what kinds of operations differ in

    /// Asks the lane's kernel. On the lane, with the token to ask with.
    func submit(to lane: Lane, token: UInt64) {}

    /// Asks for an early end. On the lane; the completion follows in any case.
    func withdraw(from lane: Lane, token: UInt64) {}

    /// Counts down what `submit` counted up.
    func noteEnded(on lane: Lane) {}

    /// The kernel is done. In the lane's own code: what user code is to do goes to a queue.
    func ended(result: Int32, _ context: Context) {}

    // MARK: from any thread

    /// Hands the operation to its lane: at once in the lane's own code, else by a request.
    final func begin(on lane: Lane, _ context: Context) {
        if context.pointee.isInLane, context.pointee.lane == lane {
            begin(on: lane)
        } else {
            lane.request(.start(self), from: context)
        }
    }

    /// Asks for the operation's early end; it was handed over before, or the request is idle.
    final func requestEnd(_ context: Context) {
        lane?.request(.cancel(self), from: context)
    }

    // MARK: on the lane

    func begin(on lane: Lane) {
        isOut = true
        submit(to: lane, token: CompletionToken.operation(Unmanaged.passRetained(self)))
    }

    final func end(on lane: Lane) {
        guard isOut else { return }
        withdraw(
            from: lane, token: CompletionToken.operation(Unmanaged.passUnretained(self)))
    }

    /// The completion of what `begin` asked for; takes its reference over.
    static func completed(
        _ reference: Unmanaged<LaneOperation>, result: Int32, from lane: Lane, _ context: Context
    ) {
        let operation = reference.takeRetainedValue()
        operation.isOut = false
        operation.noteEnded(on: lane)
        operation.ended(result: result, context)
    }
}
