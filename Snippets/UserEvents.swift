// Coalesces the program's own events until a handler runs: a progress display.
import RingDispatch

final class Progress: Sendable {
    private let source: any DispatchSourceUserDataAdd

    init(on queue: DispatchQueue, show: @escaping @Sendable (UInt) -> Void) {
        source = DispatchSource.makeUserDataAddSource(queue: queue)
        // Runs once for many additions, with their sum.
        source.setEventHandler { [unowned source] in show(source.data) }
        source.activate()
    }

    /// Safe to call from any thread; costs little more than an atomic addition.
    func advance(by count: UInt = 1) { source.add(data: count) }
}

// snippet.hide
final class Shown: @unchecked Sendable {
    // Safety: only the queue `display` touches `total`.
    var total: UInt = 0
}

let display = DispatchQueue(label: "display")
let shown = Shown()
let complete = DispatchSemaphore(value: 0)
let progress = Progress(on: display) { count in
    shown.total += count
    if shown.total == 1000 { complete.signal() }
}
DispatchQueue.concurrentPerform(iterations: 1000) { _ in progress.advance() }
precondition(complete.wait(timeout: .now() + 30) == .success)
print("1000 steps")
