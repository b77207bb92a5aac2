internal import LinuxPlatform
internal import RingDispatch

/// An object with state that belongs to one owner, most often a queue; see `Confined`.
protocol Confining: AnyObject, Sendable {
    associatedtype State
    var store: Confined<State> { get }
}

extension Confining {
    /// The state, read and changed in place.
    var confined: State {
        @inline(__always) unsafeAddress { UnsafePointer(store.address) }
        @inline(__always) unsafeMutableAddress { store.address }
    }
}

/// An object whose state belongs to its queue; during setup, to the thread that made it.
///
/// Methods use the state only if `isCurrent`, or in a call of `onQueue` or `hop`. Public members
/// that must be used on the queue call `checkCurrent`, in all builds.
protocol QueueConfined: Confining {
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
