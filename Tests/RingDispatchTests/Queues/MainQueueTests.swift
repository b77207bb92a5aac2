import Glibc
import RingDispatch
import Testing

// In a test process the main thread belongs to the Swift runtime, which serves the main queue on
// other threads. Tests of the main thread run in a process of their own.
@Suite("The main queue", .serialized)
struct MainQueueTests {
    @Test("79. dispatchMain runs the main queue's items on the main thread")
    func async() async {
        await #expect(processExitsWith: .success) {
            withMainQueueServed {
                DispatchQueue.main.async {
                    dispatchPrecondition(condition: .onQueue(.main))
                    endProcess(succeedingIf: isOnMainThread)
                }
            }
        }
    }

    @Test("13. It is serial and keeps the order")
    func order() async {
        await #expect(processExitsWith: .success) {
            withMainQueueServed {
                let seen = Watched<[Int]>([])
                for number in 0..<100 { DispatchQueue.main.async { seen.append(number) } }
                DispatchQueue.main.async { endProcess(succeedingIf: seen.value == Array(0..<100)) }
            }
        }
    }

    @Test("14. sync to the main queue from a worker runs on the main thread")
    func sync() async {
        await #expect(processExitsWith: .success) {
            withMainQueueServed {
                DispatchQueue.global().async {
                    let onMain = DispatchQueue.main.sync { isOnMainThread }
                    endProcess(succeedingIf: onMain && !isOnMainThread)
                }
            }
        }
    }

    @Test("14. A queue on top of the main queue runs on the main thread")
    func target() async {
        await #expect(processExitsWith: .success) {
            withMainQueueServed {
                let queue = DispatchQueue(label: "main.child", target: .main)
                DispatchQueue.global().async {
                    let inSync = queue.sync { isOnMainThread }
                    queue.async { endProcess(succeedingIf: inSync && isOnMainThread) }
                }
            }
        }
    }

    @Test("30, 42. after, timers and group notifications reach the main thread")
    func events() async {
        await #expect(processExitsWith: .success) {
            withMainQueueServed {
                let group = DispatchGroup()
                let all = Watched<[Bool]>([])
                let timer = DispatchSource.makeTimerSource(queue: .main)
                group.enter()
                timer.start(deadline: .now() + .milliseconds(5)) {
                    all.append(isOnMainThread)
                    group.leave()
                }
                group.enter()
                DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(5)) {
                    all.append(isOnMainThread)
                    group.leave()
                }
                group.notify(queue: .main) {
                    timer.cancel()
                    all.append(isOnMainThread)
                    endProcess(succeedingIf: all.value == [true, true, true])
                }
            }
        }
    }

    @Test("16. Waiting for it from one of its items traps")
    func deadlock() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            withMainQueueServed {
                DispatchQueue.main.async { DispatchQueue.main.sync {} }
            }
        }
        expectMessage(result, naming: "com.apple.main-thread", "deadlock")
    }

    @Test("A suspension does nothing to it, nor does a resume without one")
    func suspension() async {
        await #expect(processExitsWith: .success) {
            withMainQueueServed {
                DispatchQueue.main.suspend()
                for _ in 0..<2 { DispatchQueue.main.resume() }
                DispatchQueue.main.suspend()
                DispatchQueue.main.async { endProcess(succeedingIf: true) }
            }
        }
    }

    // MARK: where nobody called dispatchMain

    @Test("Without dispatchMain it runs where the main actor does")
    func isMainActors() async {
        await confirmation { isDone in
            await withCheckedContinuation { continuation in
                DispatchQueue.main.async {
                    MainActor.assertIsolated()
                    dispatchPrecondition(condition: .onQueue(.main))
                    isDone()
                    continuation.resume()
                }
            }
        }
    }

    @Test("Code of the main actor is on it")
    @MainActor
    func mainActorIsOnIt() {
        let key = DispatchSpecificKey<String>()
        DispatchQueue.main.setSpecific(key: key, value: "main")
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        dispatchPrecondition(condition: .onQueue(.main))
        #expect(DispatchQueue.currentLabel == "com.apple.main-thread")
        #expect(DispatchQueue.getSpecific(key: key) == "main")
    }

    @Test("16. Code of the main actor that waits for it traps")
    func mainActorDeadlock() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            await MainActor.run { DispatchQueue.main.sync {} }
        }
        expectMessage(result, naming: "com.apple.main-thread", "deadlock")
    }

    @Test("Its items, those that waited for them and the main actor's work items never overlap")
    func isolation() async {
        let count = Unguarded(0)
        let rounds = 200
        let threads = startThreads(3) { index in
            for round in 0..<rounds {
                if (round + index) % 2 == 0 {
                    DispatchQueue.main.async { count.value += 1 }
                } else {
                    DispatchQueue.main.sync { count.value += 1 }
                }
            }
        }
        for _ in 0..<rounds {
            await MainActor.run { count.value += 1 }
            await Task.yield()
        }
        for thread in threads { #expect(thread.join()) }
        #expect(DispatchQueue.main.sync { count.value } == 4 * rounds)
    }
}
