internal import LinuxPlatform
internal import RingDispatch

/// One value, set by any thread and awaited by one task.
final class Promise<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case empty
        case awaited(CheckedContinuation<Value, Never>)
        case fulfilled(Value)
    }

    private let state = Locked(State.empty)

    /// Sets the value. Call it once.
    func fulfil(_ value: Value) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
            defer { state = .fulfilled(value) }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: value)
    }

    /// Waits for the value. One task may do so, once.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state -> Value? in
                    if case .fulfilled(let value) = state { return value }
                    state = .awaited(continuation)
                    return nil
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}
