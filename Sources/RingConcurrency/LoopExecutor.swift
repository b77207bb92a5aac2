#if compiler(>=6.3) && compiler(<6.4)
internal import RingDispatch
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

/// Runs the jobs of all tasks, and of actors without an executor of their own.
final class LoopExecutor: TaskExecutor, SchedulingExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        job.withWords { SwiftJob(job).enqueue($0) }
    }

    // MARK: SchedulingExecutor, for Task.sleep

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
        guard let delay = delay as? Duration else {
            preconditionFailure("a clock whose durations are no Duration must sleep by itself")
        }
        let leeway = (tolerance as? Duration)?.nanoseconds ?? LoopExecutor.leeway
        let job = UnownedJob(job)
        job.withWords { SwiftJob(job).enqueue($0, after: delay.nanoseconds, leeway: leeway) }
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
        let delay = clock.now.duration(to: instant)
        enqueue(job, after: delay, tolerance: tolerance, clock: clock)
    }

    /// Of a sleep without a tolerance, in nanoseconds.
    private static let leeway: UInt64 = 50_000
}

extension UnownedJob {
    /// Calls the body with the two words that a job has for its executor.
    func withWords(_ body: (UnsafeMutableRawBufferPointer) -> Void) {
        ExecutorJob(self).withUnsafeExecutorPrivateData(body: body)
    }
}

extension Duration {
    /// At least 0.
    fileprivate var nanoseconds: UInt64 { UInt64(max(0, clampedNanoseconds)) }
}
#endif
