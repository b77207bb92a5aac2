// What has to happen once, whoever needs it first: in Swift a static `let`, or `DispatchOnce`.
import RingDispatch

enum Catalogue {
    /// Swift sees to it that this runs once, and that all others wait for it.
    static let words: Set<String> = {
        loads.perform { print("loading") }
        return ["ring", "loop", "lease"]
    }()

    /// For code that had a `dispatch_once_t`, or has nothing to keep.
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
precondition(setUps.wait(timeout: .now()) == .timedOut, "it happened twice")
