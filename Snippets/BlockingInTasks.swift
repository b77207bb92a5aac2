// Tasks that block, which Swift's own executor forbids: others go on meanwhile.
import RingConcurrency
import RingDispatch

RingConcurrency.install()

/// A call that blocks its thread. It could be SQLite, `getaddrinfo`, or a library of others.
func slowQuery(_ number: Int) -> Int {
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(100))
    return number * number
}

let start = ContinuousClock.now
let sum = await withTaskGroup(of: Int.self) { group in
    // Far more than there are CPUs.
    for number in 0..<100 { group.addTask { slowQuery(number) } }
    var sum = 0
    for await result in group { sum += result }
    return sum
}
print("100 queries of 100 ms took", ContinuousClock.now - start)

// snippet.hide
precondition(sum == 328_350)
precondition(ContinuousClock.now - start < .seconds(9))
