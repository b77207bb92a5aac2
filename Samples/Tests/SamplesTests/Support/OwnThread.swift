import Testing

/// Runs each piece of a task on a thread of its own.
private final class OwnThreads: TaskExecutor {
    func enqueue(_ workItem: consuming ExecutorJob) {
        let workItem = UnownedJob(workItem)
        startThread { workItem.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Limits the number of test cases that run at a time.
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

/// Gives each test case a thread of its own, since a blocked thread of the pool would hold up other
/// tests. A few cases run at a time, so that their programs do not starve each other.
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
