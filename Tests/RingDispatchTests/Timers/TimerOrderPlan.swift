import RingDispatch
import Testing

/// A serial queue with what ran on it.
final class TimerOrderQueue: Sendable {
    let queue: DispatchQueue
    let runs = Watched<[TimerOrderRun]>([])
    /// Threads whose last timer on this queue has fired.
    let ended = Watched(0)
    /// Timer sources for each thread. They are armed, so setting one gives it to the loop of the
    /// thread that does so; before, the worker that arms it would.
    let sources: [[any DispatchSourceTimer]]

    private static let sourcesOfThread = 6

    init(_ number: Int, threadCount: Int) {
        let queue = DispatchQueue(label: "timer.order.\(number)")
        self.queue = queue
        sources = (0..<threadCount).map { _ in
            (0..<Self.sourcesOfThread).map { _ in
                let source = DispatchSource.makeTimerSource(queue: queue)
                source.start {}
                return source
            }
        }
        drain(queue)
    }

    deinit { for source in sources.joined() { source.cancel() } }
}

/// A call of a timer's handler.
struct TimerOrderRun {
    struct Name: Equatable {
        let thread: Int
        /// The timer's index among those of the thread.
        let timer: Int
    }

    let name: Name
    let time: DispatchTime
}

/// What a thread did with a timer.
struct TimerOrderEntry: CustomStringConvertible {
    /// The index of the queue.
    let queue: Int
    var deadlines: [DispatchTime]
    /// When the last call that set it had returned.
    var setAt: DispatchTime
    var isCancelled = false
    /// Each change of the timer had returned before the timer was due.
    var isClear = true

    /// The last one that was set.
    var deadline: DispatchTime { deadlines[deadlines.count - 1] }

    var description: String {
        let times = deadlines.map { "\($0.uptimeNanoseconds)" }.joined(separator: ", ")
        return "queue \(queue), due at \(times), set at \(setAt.uptimeNanoseconds)"
    }
}

/// The random calls of one thread, the same in each run.
final class TimerOrderPlan {
    private let thread: Int
    private let queues: [TimerOrderQueue]
    private var generator: SeededGenerator
    private var entries: [TimerOrderEntry] = []
    private var unusedSources: [(queue: Int, source: any DispatchSourceTimer)] = []
    /// What can be cancelled, and set again, by the index of its entry.
    private var cancels: [(timer: Int, call: () -> Void)] = []
    private var setSources: [(timer: Int, source: any DispatchSourceTimer)] = []

    init(thread: Int, queues: [TimerOrderQueue], seed: UInt64) {
        self.thread = thread
        self.queues = queues
        generator = SeededGenerator(seed: seed &* 100 &+ UInt64(thread))
        for (index, queue) in queues.enumerated() {
            unusedSources += queue.sources[thread].map { (index, $0) }
        }
    }

    func carryOut() -> [TimerOrderEntry] {
        for step in 1...400 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0...2: setBlock()
            case 3: setWorkItem()
            case 4: setScheduledItem()
            case 5, 6: setSource()
            case 7: setSourceAgain()
            default: cancel()
            }
            // Some timers are due while others are set.
            if step % 40 == 0 { letTimePass(milliseconds: 1) }
        }
        end()
        return entries
    }

    private func soon() -> DispatchTime {
        .now() + .microseconds(Int.random(in: 1...50_000, using: &generator))
    }

    /// The handler of the next timer; some keep their event loop busy.
    private func handler(_ queue: Int) -> @Sendable () -> Void {
        let name = TimerOrderRun.Name(thread: thread, timer: entries.count)
        let busy = Int.random(in: 0..<8, using: &generator) == 0 ? 300 : 0
        return { [runs = queues[queue].runs] in
            let start = DispatchTime.now()
            runs.append(TimerOrderRun(name: name, time: start))
            while DispatchTime.now() < start + .microseconds(busy) {}
        }
    }

    private func setBlock() {
        set { queue, deadline, handler in
            queue.asyncAfter(deadline: deadline, execute: handler)
            return nil
        }
    }

    private func setWorkItem() {
        set { queue, deadline, handler in
            let item = DispatchWorkItem(block: handler)
            queue.asyncAfter(deadline: deadline, execute: item)
            return { item.cancel() }
        }
    }

    private func setScheduledItem() {
        set { queue, deadline, handler in
            let item = queue.scheduleAfter(deadline: deadline, execute: handler)
            return { item.cancel() }
        }
    }

    /// - Parameter call: sets a timer, and gives the call that cancels it, if there is one.
    private func set(
        _ call: (DispatchQueue, DispatchTime, @escaping @Sendable () -> Void) -> (() -> Void)?
    ) {
        let index = Int.random(in: 0..<queues.count, using: &generator)
        let handler = handler(index)
        let deadline = soon()
        let cancel = call(queues[index].queue, deadline, handler)
        if let cancel { cancels.append((entries.count, cancel)) }
        entries.append(TimerOrderEntry(queue: index, deadlines: [deadline], setAt: .now()))
    }

    private func setSource() {
        guard !unusedSources.isEmpty else { return }
        let (queue, source) = unusedSources.remove(
            at: .random(in: 0..<unusedSources.count, using: &generator))
        source.setEventHandler(handler: handler(queue))
        // The source has the handler, and is armed again.
        queues[queue].queue.sync {}
        let deadline = soon()
        source.schedule(deadline: deadline)
        cancels.append((entries.count, { source.cancel() }))
        setSources.append((entries.count, source))
        entries.append(TimerOrderEntry(queue: queue, deadlines: [deadline], setAt: .now()))
    }

    private func setSourceAgain() {
        guard let (timer, source) = setSources.randomElement(using: &generator),
            !entries[timer].isCancelled, .now() < entries[timer].deadline
        else { return }
        let (old, new) = (entries[timer].deadline, soon())
        source.schedule(deadline: new)
        entries[timer].setAt = .now()
        if entries[timer].setAt >= old { entries[timer].isClear = false }
        entries[timer].deadlines.append(new)
    }

    private func cancel() {
        guard !cancels.isEmpty else { return }
        let (timer, call) = cancels.remove(at: .random(in: 0..<cancels.count, using: &generator))
        guard .now() < entries[timer].deadline else { return }
        call()
        if .now() >= entries[timer].deadline { entries[timer].isClear = false }
        entries[timer].isCancelled = true
    }

    /// Sets a last timer on each queue, after all others.
    private func end() {
        let last = (entries.map(\.deadline) + [.now()]).max()! + .milliseconds(10)
        for queue in queues {
            queue.queue.asyncAfter(deadline: last) { queue.ended.increment() }
        }
    }
}
