import Glibc
import RingConcurrency
import RingDispatch
import TestSupport
import Testing

/// Each in a process of its own, because `install` is for the whole process.
@Suite("Tasks and actors on the event loops", .watchdog)
struct ExecutorTests {
    @Test("Tasks run on the global queue of their class, on the runtime's threads")
    func queues() async {
        await #expect(processExitsWith: .success) {
            begin()
            let labels: [(TaskPriority, String)] = [
                (.high, "com.apple.root.user-initiated-qos"),
                (.medium, "com.apple.root.default-qos"), (.low, "com.apple.root.utility-qos"),
                (.background, "com.apple.root.background-qos"),
            ]
            for (priority, label) in labels {
                let found = await Task.detached(priority: priority) {
                    (DispatchQueue.currentLabel, niceness())
                }.value
                #expect(found.0 == label)
                // Not on the threads of background work: an urgent task may wait for it.
                #expect(found.1 == 0)
            }
        }
    }

    @Test("Installing again changes nothing; tasks and actors from before go on")
    func late() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let counter = Counter()
            let gate = Gate()
            let early = Task {
                await counter.add()
                while !gate.wasOpened { await Task.yield() }
                return await counter.add()
            }
            while await counter.value == 0 { await Task.yield() }
            #expect(RingConcurrency.install())
            #expect(RingConcurrency.install())
            gate.open()
            #expect(await early.value == 2)
            #expect(await Task { await counter.add() }.value == 3)
        }
    }

    @Test("An actor runs one job at a time")
    func actors() async {
        await #expect(processExitsWith: .success) {
            begin()
            let (counter, queued) = (Counter(), QueueCounter())
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        for _ in 0..<200 {
                            await counter.add()
                            await queued.add()
                        }
                    }
                }
            }
            #expect(await counter.value == 10_000)
            #expect(await queued.value == 10_000)
        }
    }

    @Test("A handler of an actor's queue may use the actor's state")
    func assumed() async {
        await #expect(processExitsWith: .success) {
            begin()
            let counter = QueueCounter()
            await withCheckedContinuation { continuation in
                counter.queue.async {
                    counter.assumeIsolated { $0.add() }
                    continuation.resume()
                }
            }
            #expect(await counter.value == 1)
        }
    }

    @Test("The main actor runs on the main queue")
    func mainActor() async {
        await #expect(processExitsWith: .success) {
            begin()
            for _ in 0..<100 {
                await Task.detached {
                    await MainActor.run {
                        MainActor.assertIsolated()
                        dispatchPrecondition(condition: .onQueue(.main))
                    }
                }.value
            }
            let value = Watched(0)
            await withCheckedContinuation { continuation in
                DispatchQueue.main.async {
                    MainActor.assumeIsolated { value.update { $0 = 1 } }
                    continuation.resume()
                }
            }
            #expect(value.value == 1)
        }
    }

    @Test("A hundred thousand tasks in a group, and an unstructured chain of tasks")
    func many() async {
        await #expect(processExitsWith: .success) {
            begin()
            let sum = await withTaskGroup(of: Int.self) { group in
                for number in 0..<100_000 { group.addTask { number } }
                return await group.reduce(0, +)
            }
            #expect(sum == 100_000 * 99_999 / 2)
            #expect(await chain(1_000) == 1_000)
        }
    }

    @Test("Task locals, cancellation and streams work as before")
    func semantics() async {
        await #expect(processExitsWith: .success) {
            begin()
            await Local.$value.withValue(7) {
                #expect(await Task { Local.value }.value == 7)
                #expect(await Task.detached { Local.value }.value == 0)
            }
            let waiting = Task {
                await withTaskCancellationHandler {
                    while !Task.isCancelled { await Task.yield() }
                    return "cancelled"
                } onCancel: {
                }
            }
            waiting.cancel()
            #expect(await waiting.value == "cancelled")
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            Task {
                for number in 0..<1000 { continuation.yield(number) }
                continuation.finish()
            }
            var sum = 0
            for await number in stream { sum += number }
            #expect(sum == 1000 * 999 / 2)
        }
    }

    @Test("A background task runs although urgent ones keep all loops busy")
    func priorities() async {
        await #expect(processExitsWith: .success) {
            begin()
            let stop = Gate()
            let busy = (0..<16).map { _ in
                Task.detached(priority: .high) {
                    while !stop.wasOpened { await Task.yield() }
                }
            }
            await Task.detached(priority: .background) {}.value
            stop.open()
            for task in busy { await task.value }
        }
    }
}

private func chain(_ left: Int) async -> Int {
    left == 0 ? 0 : await Task { await chain(left - 1) + 1 }.value
}

private enum Local {
    @TaskLocal static var value = 0
}

private actor Counter {
    private(set) var value = 0

    @discardableResult
    func add() -> Int {
        value += 1
        return value
    }
}

private actor QueueCounter {
    let queue = DispatchSerialQueue(label: "counter")
    private(set) var value = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    func add() {
        dispatchPrecondition(condition: .onQueue(queue))
        value += 1
    }
}

private func niceness() -> Int32 {
    getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(currentThreadIdentifier()))
}
