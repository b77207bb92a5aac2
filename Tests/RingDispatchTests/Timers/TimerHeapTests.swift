import LinuxPlatform
import Testing

@testable import RingDispatch

@Suite("The heap of timers", .watchdog)
struct TimerHeapTests {
    private struct Timer {
        let window: TimerWindow
        let item: DispatchScheduledItem
    }

    @Test("42, 72. Timers of both clocks that are due at once fire in the order of their deadlines")
    func clocks() {
        let timers = LoopTimers()
        let fired = Watched<[UInt]>([])
        let action = TimerAction { object, late, _ in
            fired.append(late)
            Unmanaged<AnyObject>.fromOpaque(object).release()
        }
        let now = [
            TimerClock.monotonic: MonotonicClock.nanoseconds(), .wall: WallClock.nanoseconds(),
        ]
        for (late, clock) in [
            (10, .wall), (20, .monotonic), (30, .wall), (40, .wall), (50, .monotonic), (5, .wall),
        ] as [(UInt, TimerClock)] {
            let window = TimerWindow(
                deadline: now[clock]! - UInt64(late) * 100_000_000, leeway: 0)
            _ = timers[clock].add(TimerSlot(window, fired, detail: late, action: action))
        }
        timers.fireDue(now: MonotonicClock.nanoseconds(), Context.current)
        #expect(fired.value == [50, 40, 30, 20, 10, 5])
        #expect(timers.count == 0)
    }

    @Test("42. Timers fire in the order of their deadlines", arguments: [1, 2, 3] as [UInt64])
    func order(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let work = DispatchWorkItem {}
        let queue = DispatchQueue(label: "timer.heap")
        let loop = Runtime.shared.loop(number: 0)
        var heap = TimerHeap()
        var pending: [Timer] = []
        var now: UInt64 = 0
        for _ in 0..<(isDeep ? 100_000 : 10_000) {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0, 1:
                let leeways: [UInt64] = [0, 1, 1000, 100_000]
                let window = TimerWindow(
                    deadline: now + .random(in: 1...100_000, using: &generator),
                    leeway: leeways.randomElement(using: &generator)!)
                let timer = Timer(
                    window: window,
                    item: DispatchScheduledItem(
                        work: work, queue: queue, loop: loop, clock: .monotonic))
                let first = heap.earliest
                let slot = TimerSlot(window, timer.item, action: DispatchScheduledItem.timerAction)
                #expect(heap.insert(slot) == (window.latest < first))
                pending.append(timer)
            case 2:
                guard !pending.isEmpty else { continue }
                let timer = pending.remove(
                    at: .random(in: 0..<pending.count, using: &generator))
                heap.remove(at: timer.item.timerIndex).drop()
            default:
                // A loop also wakes for other reasons than timers.
                let first = pending.map(\.window.latest).min() ?? now
                now = Bool.random(using: &generator) ? first : min(first, now + 500)
                let due = pending.filter { $0.window.deadline <= now }.map(\.window.deadline)
                var fired: [UInt64] = []
                repeat {
                    let slots = heap.popDue(now: now, limit: 8)
                    if slots.isEmpty { break }
                    fired += slots.map(\.window.deadline)
                    for slot in slots { slot.drop() }
                } while true
                #expect(fired == due.sorted())
                #expect(heap.earliest > now)
                pending.removeAll { $0.window.deadline <= now }
                // Among many, the search ends at a deadline.
                if !due.isEmpty, pending.count < 40 {
                    #expect(heap.earliest == pending.map(\.window.latest).min() ?? .max)
                }
            }
            heap.checkInvariants()
            #expect(heap.count == pending.count)
            // Earlier only if that timer was removed.
            #expect(heap.earliest <= pending.map(\.window.latest).min() ?? .max)
        }
        for timer in pending { heap.remove(at: timer.item.timerIndex).drop() }
        #expect(heap.count == 0)
    }
}
