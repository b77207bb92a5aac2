import Glibc
import Testing

/// Starts a detached thread.
func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    defer { pthread_attr_destroy(&attributes) }
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(Box(body)).toOpaque()
    // Safety: the thread takes over the reference that `passRetained` made.
    let code = pthread_create(&thread, &attributes, { argument in
        guard let argument else { return nil }
        Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
        return nil
    }, argument)
    precondition(code == 0, "pthread_create: \(String(cString: strerror(code)))")
}

/// Runs each piece of a task on a thread of its own.
private final class OwnThreads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        startThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
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
