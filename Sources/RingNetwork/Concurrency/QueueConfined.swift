internal import LinuxPlatform
internal import RingDispatch

/// An object whose state belongs to its queue; during setup, to the thread that made it.
///
/// The state is in a `Confined`. Methods use it only if `isCurrent`, or in a call of `onQueue` or
/// `hop`. Public members that must be used on the queue call `checkCurrent`, in all builds.
protocol QueueConfined: AnyObject, Sendable {
    var queue: DispatchQueue { get }
    /// The object has not been shared yet.
    var isInSetup: Bool { get }
}

extension QueueConfined {
    /// Whether the caller may use the object's state.
    @inline(__always)
    var isCurrent: Bool { queue.isCurrent || isInSetup }

    /// Runs `body` on the queue: synchronously if the caller is on it or the object is in setup,
    /// otherwise asynchronously.
    @inline(__always)
    func onQueue(_ body: sending @escaping (Self) -> Void) {
        if isCurrent { body(self) } else { hop(body) }
    }

    /// Ends the process unless the caller may use the object's state.
    @inline(__always)
    func checkCurrent(_ member: StaticString = #function) {
        if !isCurrent { endMisuse(of: member) }
    }

    @inline(never)
    private func endMisuse(of member: StaticString) -> Never {
        fatalMisuse(
            "\(Self.self).\(member) was used off the queue '\(queue.label)': use it in a handler, "
                + "or in a block of queue.async or queue.sync")
    }

    /// Runs `body` on the queue, for a task.
    func result<Value: Sendable>(of body: @escaping @Sendable (Self) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: body(self)) }
        }
    }

    /// Runs `body` asynchronously on the queue.
    func hop(_ body: sending @escaping (Self) -> Void) {
        // Safety: received as `sending`, and called once, on the queue.
        nonisolated(unsafe) let body = body
        queue.async { body(self) }
    }
}
