// Runs code that was written for GCD, and ends with status 0 if it ran on RingDispatch.
import Foundation
import Ported
import PortedInside
import PortedStrictly
import Unported

var failures: [String] = []
func expect<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ what: String, line: UInt = #line
) {
    if actual != expected { failures.append("line \(line): \(what): \(actual), not \(expected)") }
}

checkNames()
checkModules()
checkMailbox()
checkPulse()
checkTally()

// dispatchMain also serves the main actor's tasks and Foundation's main queue, in both directions.
@MainActor
func finish() {
    expect(Thread.isMainThread, true, "the main thread")
    for failure in failures { print("porting-check:", failure) }
    exit(failures.isEmpty ? 0 : 1)
}

DispatchQueue.global().asyncAfter(deadline: .now() + 30) {
    print("porting-check: the main thread is not served")
    exit(1)
}
MainActor.assumeIsolated {
    let screen = Screen()
    screen.load {
        expect(screen.text, "loaded", "the main actor's state")
        expect(Thread.isMainThread, true, "the main thread")
        Task { @MainActor in
            await Task.yield()
            expect(Thread.isMainThread, true, "the main actor's thread")
            dispatchPrecondition(condition: .onQueue(.main))
            OperationQueue.main.addOperation {
                DispatchQueue.main.async { Task { finish() } }
            }
        }
    }
}
dispatchMain()
