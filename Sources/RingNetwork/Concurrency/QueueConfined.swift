internal import RingDispatch

/// An object whose state belongs to its queue; during setup, to the thread that made it.
///
/// A struct named `Confined` holds this state. Methods use it only if `isCurrent`, or in a call of
/// `onQueue` or `hop`. One thread at a time does so, and handlers that it calls are taken out of
/// the struct first. So accesses to one field never overlap; those to different fields may, and
/// `@exclusivity(unchecked)` allows that and spares the check of each.
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

    /// Runs `body` asynchronously on the queue.
    func hop(_ body: sending @escaping (Self) -> Void) {
        let call = ConfinedCall(body: body)
        queue.async { call.body(self) }
    }
}

/// Carries a call to an object's queue.
private struct ConfinedCall<Object>: @unchecked Sendable {
    // Safety: `hop` has received the closure as `sending`; it runs once, on the queue.
    let body: (Object) -> Void
}
