import Glibc
package import Testing

/// A `Watchdog` for many short tests that mostly wait and disturb no others. They run on their own
/// threads, many at a time, and take no places of the other tests.
package struct WaitingWatchdog: TestTrait, SuiteTrait, TestScoping {
    private static let turnstile = Turnstile(limit: 16)

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        await Self.turnstile.enter()
        defer { Self.turnstile.leave() }
        let finished = Gate()
        _ = UserThread {
            if finished.waitUntilOpen(seconds: Watchdog.usualLimitSeconds) { return }
            fatalError("Watchdog: test \"\(test.displayName ?? test.name)\" hangs; ending the run.")
        }
        defer { finished.open() }
        try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
    }
}

extension Trait where Self == WaitingWatchdog {
    package static var waitingWatchdog: WaitingWatchdog { WaitingWatchdog() }
}
