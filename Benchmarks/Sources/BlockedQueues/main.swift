// Serial queues whose items block for 100 ms, again and again.
// usage: blocked-queues-... KIND COUNT [global]: how long an unrelated item waits for its start
//        blocked-queues-... start KIND COUNT [again]: the time until half of the queues are in
//        their items; again: of queues whose items have blocked before (read only)
// KIND: sleep, read (a pipe that wakes all at once), semaphore, compute or none; timeouts: with a
//       COUNT of 0, a timer is set before each item, and stopped after it
#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif
import Glibc
import Synchronization

let blockMicroseconds: UInt32 = 100_000
let measuredItems = 3_000

func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

/// A pipe whose readers all return at its end. Each period has a pipe of its own.
final class Gate: Sendable {
    private let current = Mutex(Gate.makePipe())

    private static func makePipe() -> (read: Int32, write: Int32) {
        var ends: (Int32, Int32) = (0, 0)
        withUnsafeMutableBytes(of: &ends) { bytes in
            _ = pipe(bytes.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        return (ends.0, ends.1)
    }

    func pass() {
        var byte: UInt8 = 0
        _ = read(current.withLock { $0.read }, &byte, 1)
    }

    /// Lets all readers through. The old pipe stays open at its read end: a late reader returns.
    func open() {
        let old = current.withLock { ends in
            let old = ends
            ends = Gate.makePipe()
            return old
        }
        close(old.write)
    }
}

let gate = Gate()
let semaphore = DispatchSemaphore(value: 0)

func block(_ kind: String) {
    switch kind {
    case "sleep": usleep(blockMicroseconds)
    case "read": gate.pass()
    case "semaphore": _ = semaphore.wait(timeout: .now() + .microseconds(Int(blockMicroseconds)))
    case "compute":
        let end = now() + UInt64(blockMicroseconds) * 1000
        while now() < end {}
    default: break
    }
}

func again(_ queue: DispatchQueue, _ kind: String) {
    queue.async {
        block(kind)
        again(queue, kind)
    }
}

func measureWaits(_ kind: String, _ count: Int, isGlobal: Bool) {
    if kind != "none" {
        for number in 0..<count {
            again(isGlobal ? .global() : DispatchQueue(label: "blocked \(number)"), kind)
        }
    }
    let idle = DispatchQueue(label: "idle")
    let timeout = DispatchSource.makeTimerSource(queue: idle)
    timeout.setEventHandler {}
    timeout.activate()
    let waits = Mutex<[UInt64]>([])
    var next = now()
    let warmUp = 300
    for number in 0..<measuredItems + warmUp {
        let submitted = now()
        idle.async {
            let waited = now() - submitted
            if number >= warmUp { waits.withLock { $0.append(waited) } }
        }
        if kind == "read", number % 100 == 0 { gate.open() }
        if kind == "timeouts" {
            timeout.schedule(deadline: .distantFuture)
            usleep(300)
            timeout.schedule(deadline: .now() + 1)
        }
        next += 1_000_000
        let current = now()
        if next > current { usleep(UInt32((next - current) / 1000)) }
    }
    usleep(200_000)
    let sorted = waits.withLock { $0.sorted() }
    print("items \(sorted.count)")
    guard !sorted.isEmpty else { return }
    print("p50_us \(Double(sorted[sorted.count / 2]) / 1000)")
    print("p99_us \(Double(sorted[sorted.count * 99 / 100]) / 1000)")
}

func measureStart(_ kind: String, _ count: Int, isAgain: Bool) {
    let queues = (0..<count).map { DispatchQueue(label: "blocked \($0)") }
    if isAgain {
        _ = start(queues, kind, until: count)
        gate.open()
        usleep(blockMicroseconds)
    }
    print("half_ms \(Double(start(queues, kind, until: count / 2)) / 1_000_000)")
}

/// Submits an item that blocks to each queue. Returns the time until enough of them have begun.
func start(_ queues: [DispatchQueue], _ kind: String, until enough: Int) -> UInt64 {
    let begun = Atomic<Int>(0)
    let start = now()
    for queue in queues {
        queue.async {
            begun.add(1, ordering: .relaxed)
            if kind == "semaphore" { semaphore.wait() } else { gate.pass() }
        }
    }
    while begun.load(ordering: .relaxed) < enough, now() - start < 10_000_000_000 { usleep(100) }
    return now() - start
}

let arguments = CommandLine.arguments.dropFirst()
let words = Array(arguments)
if words.count >= 3, words[0] == "start", let count = Int(words[2]) {
    measureStart(words[1], count, isAgain: words.last == "again")
} else if words.count >= 2, let count = Int(words[1]) {
    measureWaits(words[0], count, isGlobal: words.last == "global")
} else {
    print("usage: blocked-queues-... [start] KIND COUNT [global|again]")
    exit(2)
}
exit(0)
