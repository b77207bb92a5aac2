#if compiler(>=6.3) && compiler(<6.4)
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

/// The executors that replace those of Swift's runtime.
struct Executors: ExecutorFactory {
    static let mainExecutor: any MainExecutor = MainQueueExecutor()
    static let defaultExecutor: any TaskExecutor = LoopExecutor()

    static func install() -> Bool {
        // Makes Swift's own executors, if nobody has yet. Otherwise the first task of another
        // thread would make them, in place of these.
        _ = Task<Never, Never>.defaultExecutor
        _createExecutors(factory: Executors.self)
        return true
    }
}
#else
internal import LinuxPlatform

enum Executors {
    static func install() -> Bool {
        Diagnostics.log(
            "tasks must not block: this version of Swift cannot run them on the event loops")
        return false
    }
}
#endif
