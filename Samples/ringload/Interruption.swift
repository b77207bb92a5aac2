import LoadTesting
import SampleSupport

/// SIGINT or SIGTERM: ends the run that goes on, and those that follow.
final class Interruption: Sendable {
    private struct State {
        var run: LoadRun?
        var hasHappened = false
    }

    private let state = Locked(State())

    init() {
        onShutdownSignal { [state] in
            let run = state.withLock { state in
                state.hasHappened = true
                return state.run
            }
            run?.interrupt()
        }
    }

    var hasHappened: Bool { state.withLock { $0.hasHappened } }

    /// Call before the run begins.
    func watch(_ run: LoadRun) {
        let hasHappened = state.withLock { state in
            state.run = run
            return state.hasHappened
        }
        if hasHappened { run.interrupt() }
    }
}
