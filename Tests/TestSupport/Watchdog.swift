import Glibc
package import Testing

/// Limits how many tests run at a time, and ends the test run with the test's name when one hangs.
/// A lost wake-up inside a blocking call cannot be reported in another way, because the thread
/// never returns.
package struct Watchdog: TestTrait, SuiteTrait, TestScoping {
    package static let usualLimitSeconds = isThreadSanitized || isAddressSanitized ? 600 : 180
    /// The tests block their threads. Without a limit, a test's wait for a thread would count as
    /// its own time, and the threads of many tests would disturb one another's timing.
    private static let turnstile = Turnstile(limit: 4)
    /// For tests that mostly wait, and disturb no others.
    private static let waitingTurnstile = Turnstile(limit: 16)

    var mostlyWaits = false
    package var limitSeconds = Watchdog.usualLimitSeconds

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let turnstile = mostlyWaits ? Self.waitingTurnstile : Self.turnstile
        await turnstile.enter()
        defer { turnstile.leave() }
        let finished = Gate()
        let name = test.displayName ?? test.name
        let limitSeconds = limitSeconds
        _ = UserThread {
            if finished.waitUntilOpen(seconds: limitSeconds) { return }
            let message = "Watchdog: test \"\(name)\" hangs; ending the run.\n"
            _ = message.utf8.withContiguousStorageIfAvailable {
                Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count)
            }
            abort()
        }
        defer { finished.open() }
        try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
    }
}

extension Trait where Self == Watchdog {
    /// Ends the run when one of the suite's tests hangs.
    package static var watchdog: Watchdog { Watchdog() }

    /// The same for tests that may take longer than usual.
    package static func watchdog(limitSeconds: Int) -> Watchdog {
        Watchdog(limitSeconds: limitSeconds)
    }

    /// The same for many short tests that mostly wait: more of them run at a time.
    package static var waitingWatchdog: Watchdog { Watchdog(mostlyWaits: true) }
}

/// Runs each part of a task on a thread of its own. Tests block: on the pool, with one thread for
/// each CPU, they would block the tasks that they and other tests wait for.
package final class ThreadExecutor: TaskExecutor {
    package static let shared = ThreadExecutor()

    package func enqueue(_ workItem: consuming ExecutorJob) {
        let workItem = UnownedJob(workItem)
        _ = UserThread { workItem.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A task that does not depend on the pool's threads.
package func ownTask<Success: Sendable>(
    _ body: @escaping @Sendable () async throws -> Success
) -> Task<Success, any Error> {
    Task(executorPreference: ThreadExecutor.shared) { try await body() }
}
