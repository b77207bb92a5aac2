import RingDispatch

/// Error lines that peers can cause: at most one a second, with the number of those left out.
package final class RepeatedErrorLine: Sendable {
    private let state = Locked(State())

    private struct State {
        var next = DispatchTime.now()
        var leftOut = 0
    }

    package init() {}

    package func write(_ line: String) {
        let leftOut = state.withLock { state -> Int? in
            let now = DispatchTime.now()
            if now < state.next {
                state.leftOut += 1
                return nil
            }
            defer { state.leftOut = 0 }
            state.next = now + .seconds(1)
            return state.leftOut
        }
        guard let leftOut else { return }
        writeErrorLine(leftOut == 0 ? line : "\(line) (\(leftOut) similar lines left out)")
    }
}
