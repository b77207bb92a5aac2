internal import RingDispatch

extension Resolver {
    /// One value that comes from any thread, for one task that waits.
    final class Promise: Sendable {
        private enum State: Sendable {
            case empty
            case awaited(CheckedContinuation<Answer, Never>)
            case fulfilled(Answer)
        }

        private let state = Locked(State.empty)

        /// Once.
        func fulfil(_ answer: Answer) {
            let waiting = state.withLock { state -> CheckedContinuation<Answer, Never>? in
                defer { state = .fulfilled(answer) }
                if case .awaited(let continuation) = state { return continuation }
                return nil
            }
            waiting?.resume(returning: answer)
        }

        /// Waits for the value. Once.
        var value: Answer {
            get async {
                await withCheckedContinuation { continuation in
                    let answer = state.withLock { state -> Answer? in
                        if case .fulfilled(let answer) = state { return answer }
                        state = .awaited(continuation)
                        return nil
                    }
                    if let answer { continuation.resume(returning: answer) }
                }
            }
        }
    }
}
