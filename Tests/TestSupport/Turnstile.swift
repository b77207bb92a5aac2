/// Admits a limited number of tasks at a time, in order of arrival.
package final class Turnstile: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Watched<State>

    package init(limit: Int) {
        state = Watched(State(free: limit))
    }

    package func enter() async {
        await withCheckedContinuation { continuation in
            let mayEnter = state.update { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if mayEnter { continuation.resume() }
        }
    }

    package func leave() {
        let next = state.update { state in
            if state.waiting.isEmpty {
                state.free += 1
                return nil as CheckedContinuation<Void, Never>?
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
