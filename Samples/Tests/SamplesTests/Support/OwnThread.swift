import Testing

/// Runs each piece of a task on a thread of its own.
private final class OwnThreads: TaskExecutor {
    func enqueue(_ workItem: consuming ExecutorJob) {
        let workItem = UnownedJob(workItem)
        startThread { workItem.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Lets a few at a time through.
private actor Gate {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(limit: Int) { free = limit }

    func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

/// Gives each test case a thread of its own, which it may block: on the pool it would hold up every
/// other test of the run. A few cases run at a time, or their programs would starve one another.
struct OwnThread: TestTrait, SuiteTrait, TestScoping {
    private static let gate = Gate(limit: 4)

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        await Self.gate.enter()
        let result: Result<Void, any Error>
        do {
            try await withTaskExecutorPreference(OwnThreads()) { try await function() }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await Self.gate.leave()
        try result.get()
    }
}

extension Trait where Self == OwnThread {
    static var ownThread: OwnThread { OwnThread() }
}
