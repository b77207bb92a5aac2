#if compiler(>=6.3) && compiler(<6.4)
internal import RingDispatch
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

/// Runs the main actor on the main queue.
final class MainQueueExecutor: MainExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        job.withWords { SwiftJob(job).enqueueOnMainActor($0) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(.main))
    }

    func isIsolatingCurrentContext() -> Bool? { DispatchQueue.main.isCurrent }

    // MARK: RunLoopExecutor

    func run() throws { dispatchMain() }

    func stop() {
        preconditionFailure("the main queue is served until the process ends")
    }
}
#endif
