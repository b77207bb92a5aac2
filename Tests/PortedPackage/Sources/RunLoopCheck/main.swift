// A program whose main thread sits in Foundation's run loop, like libdispatch's tests
// dispatch_cf_main and cffd: it ends with status 0 if the run loop serves the main queue.
import Foundation

let pipe = Pipe()
let byteCount = 10
var steps: Set<String> = ["timer of the run loop", "timer source", "read source", "sync"]
var received = 0
var failures: [String] = []

func note(_ step: String) {
    dispatchPrecondition(condition: .onQueue(.main))
    if !Thread.isMainThread { failures.append("\(step): not on the main thread") }
    steps.remove(step)
    if steps.isEmpty { finish() }
}

func finish() -> Never {
    let missing = steps.map { "\($0): never arrived" }
    for failure in failures + missing { print("run-loop-check:", failure) }
    exit(failures.isEmpty && missing.isEmpty ? 0 : 1)
}

// The queue is not served yet: its items wait.
DispatchQueue.main.async {
    note("start")
    _ = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in
        note("timer of the run loop")
    }
    DispatchQueue.global().async {
        let onMain = DispatchQueue.main.sync { Thread.isMainThread }
        DispatchQueue.main.async { note(onMain ? "sync" : "sync on another thread") }
        for _ in 0..<byteCount {
            DispatchQueue.main.async { pipe.fileHandleForWriting.write(Data([1])) }
        }
    }
}

let timer = DispatchSource.makeTimerSource(queue: .main)
timer.setEventHandler { note("timer source") }
timer.schedule(deadline: .now() + .milliseconds(1))
timer.activate()

let reader = DispatchSource.makeReadSource(
    fileDescriptor: pipe.fileHandleForReading.fileDescriptor, queue: .main)
reader.setEventHandler {
    received += pipe.fileHandleForReading.availableData.count
    if received == byteCount { note("read source") }
}
reader.activate()

DispatchQueue.global().asyncAfter(deadline: .now() + 30) { finish() }
RunLoop.main.run()
