// Tasks that block, and tasks that yield: on Swift's own executor, or with `--install` on the event
// loops.
@preconcurrency import Glibc
import RingConcurrency

setlinebuf(stdout)
if CommandLine.arguments.dropFirst().first == "--install" { RingConcurrency.install() }

func report(_ what: String, since start: ContinuousClock.Instant, per count: Int = 1) {
    print(what, (ContinuousClock.now - start) / count, separator: "\t")
}

let yielding = await Task.detached {
    let start = ContinuousClock.now
    for _ in 0..<200_000 { await Task.yield() }
    return start
}.value
report("Task.yield, one task", since: yielding, per: 200_000)

let blocking = ContinuousClock.now
await withTaskGroup(of: Void.self) { group in
    for _ in 0..<200 { group.addTask { usleep(100_000) } }
}
report("200 tasks that sleep in usleep for 100 ms", since: blocking)
