// One-time initialization: in Swift a static `let`, or `DispatchOnce`.
import RingDispatch

enum Catalogue {
    /// Swift runs the initializer once; concurrent callers wait for it.
    static let words: Set<String> = {
        loads.perform { print("loading") }
        return ["ring", "loop", "worker"]
    }()

    /// For code ported from `dispatch_once_t`, or without a value to keep.
    static let loads = DispatchOnce()
}

// snippet.hide
let isSetUp = DispatchOnce()
let setUps = DispatchSemaphore(value: 0)
DispatchQueue.concurrentPerform(iterations: 100) { _ in
    precondition(Catalogue.words.contains("loop"))
    isSetUp { setUps.signal() }
}
precondition(setUps.wait(timeout: .now()) == .success)
precondition(setUps.wait(timeout: .now()) == .timedOut, "the block ran twice")
