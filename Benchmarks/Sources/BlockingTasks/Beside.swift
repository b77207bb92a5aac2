import Glibc
import Synchronization

/// Lets tasks block, each in usleep(3).
func block(_ count: Int, milliseconds: UInt32) async {
    await withTaskGroup(of: Void.self) { group in
        for _ in 0..<count {
            group.addTask {
                started.add(1, ordering: .relaxed)
                blocked.add(1, ordering: .relaxed)
                usleep(milliseconds * 1_000)
                blocked.subtract(1, ordering: .relaxed)
            }
        }
    }
}

/// While all of the tasks block for a second: the microseconds until an unrelated task is done,
/// each millisecond, sorted.
func waits(besideBlocked count: Int) async -> [Double] {
    let all = started.load(ordering: .relaxed) + count
    async let blocking: Void = block(count, milliseconds: 1_000)
    while started.load(ordering: .relaxed) < all { try? await Task.sleep(for: .milliseconds(1)) }
    var microseconds: [Double] = []
    repeat {
        let start = ContinuousClock.now
        await Task.detached {}.value
        microseconds.append(nanoseconds(since: start) / 1_000)
        try? await Task.sleep(for: .milliseconds(1))
    } while blocked.load(ordering: .relaxed) == count
    await blocking
    return microseconds.sorted()
}

/// The median microseconds of an urgent task that awaits a background one, while others keep all
/// CPUs busy.
func backgroundBesideEndlessWork() async -> Double {
    let stop = Stop()
    let endless = (0..<16).map { _ in
        Task.detached {
            while !stop.isSet.load(ordering: .relaxed) {
                let start = ContinuousClock.now
                while nanoseconds(since: start) < 100_000 {}
                await Task.yield()
            }
        }
    }
    var microseconds: [Double] = []
    for _ in 0..<5 {
        let start = ContinuousClock.now
        await Task.detached(priority: .high) {
            await Task.detached(priority: .background) {}.value
        }.value
        microseconds.append(nanoseconds(since: start) / 1_000)
    }
    stop.isSet.store(true, ordering: .relaxed)
    for task in endless { await task.value }
    return microseconds.sorted()[microseconds.count / 2]
}

private final class Stop: Sendable {
    let isSet = Atomic(false)
}

private let started = Atomic(0)
private let blocked = Atomic(0)
