import Glibc
import RingConcurrency
import RingDispatch
import TestSupport
import Testing

/// Each in a process of its own, because `install` is for the whole process.
@Suite("Task.sleep on the event loops", .watchdog)
struct SleepTests {
    @Test("It sleeps for the time that was asked for, on both clocks")
    func duration() async {
        await #expect(processExitsWith: .success) {
            begin()
            let continuous = ContinuousClock()
            var start = continuous.now
            try await Task.sleep(for: .milliseconds(20), clock: continuous)
            #expect(continuous.now - start >= .milliseconds(20))
            start = continuous.now
            try await Task.sleep(for: .milliseconds(20), tolerance: .seconds(1))
            #expect(continuous.now - start >= .milliseconds(20))
            let suspending = SuspendingClock()
            let begin = suspending.now
            try await Task.sleep(until: begin + .milliseconds(20), clock: suspending)
            #expect(suspending.now - begin >= .milliseconds(20))
            // A time that has passed.
            try await Task.sleep(until: begin, clock: suspending)
            try await Task.sleep(for: .seconds(-1))
            try await Task.sleep(nanoseconds: 1_000_000)
        }
    }

    @Test("A sleep that is cancelled ends at once, however long it is")
    func cancelled() async {
        await #expect(processExitsWith: .success) {
            begin()
            for duration in [Duration.seconds(1_000), .seconds(Int64.max)] {
                let sleeper = Task { try await Task.sleep(for: duration) }
                try await Task.sleep(for: .milliseconds(1))
                sleeper.cancel()
                await #expect(throws: CancellationError.self) { try await sleeper.value }
            }
        }
    }

    @Test("Many sleeps end in the order of their times")
    func order() async {
        await #expect(processExitsWith: .success) {
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            begin()
            var headStart = 20
            while true {
                let (order, isInTime) = await orderOfSleeps(headStart: .milliseconds(headStart))
                if isInTime { return #expect(order == Array(0..<20)) }
                // The machine is busy: some sleeps began when others were over, or ended when
                // others were due.
                headStart *= 2
            }
        }
    }
}

/// Begins 20 sleeps, which end one after the other.
/// - Returns: the order in which they ended, and whether all had begun long before the first one
///   ended, and each ended before the next one was due.
private func orderOfSleeps(headStart: Duration) async -> ([Int], isInTime: Bool) {
    let order = Watched<[Int]>([])
    let isInTime = Watched(true)
    let spacing = headStart / 4
    let start = ContinuousClock.now + headStart
    await withTaskGroup(of: Void.self) { group in
        for number in (0..<20).reversed() {
            group.addTask {
                if ContinuousClock.now + headStart / 2 >= start { isInTime.update { $0 = false } }
                let end = start + spacing * number
                try? await Task.sleep(until: end)
                order.append(number)
                if ContinuousClock.now > end + spacing / 2 { isInTime.update { $0 = false } }
            }
        }
    }
    return (order.value, isInTime.value)
}
