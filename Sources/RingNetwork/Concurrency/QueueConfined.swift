internal import RingDispatch

/// An object whose state belongs to its queue; while it is set up, to whoever made it.
protocol QueueConfined: AnyObject, Sendable {
    var queue: DispatchQueue { get }
    /// Nobody but its maker knows of it.
    var isInSetup: Bool { get }
}

extension QueueConfined {
    /// What belongs to the queue may be touched.
    @inline(__always)
    var isCurrent: Bool { queue.isCurrent || isInSetup }

    /// Runs `body` on the queue: at once if the caller is there, or nobody else knows of the object
    /// yet.
    @inline(__always)
    func onQueue(_ body: @escaping (Self) -> Void) {
        if isCurrent { body(self) } else { hop(body) }
    }

    /// Runs `body` on the queue, behind what is there.
    func hop(_ body: @escaping (Self) -> Void) {
        let call = ConfinedCall(body: body)
        queue.async { call.body(self) }
    }
}

/// A call that goes to an object's queue.
private struct ConfinedCall<Object>: @unchecked Sendable {
    // Safety: runs on the queue, once.
    let body: (Object) -> Void
}
