import Glibc
import LoadTesting
import SampleSupport

/// SIGINT or SIGTERM: ends the run that goes on, and those that follow. A second one ends the
/// program at once.
final class Interruption: Sendable {
    private struct State {
        var run: LoadRun?
        var hasHappened = false
    }

    private let state = Locked(State())

    /// - Parameter stallTimeout: how long a run may wait for answers once it is interrupted.
    init(stallTimeout: TimeSpan) {
        onShutdownSignal { [state] in
            // Not on a terminal's progress line.
            writeErrorLine(
                (isatty(STDERR_FILENO) == 1 ? "\n" : "")
                    + "interrupted: waits for answers, up to \(stallTimeout); a second signal ends "
                    + "at once")
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
