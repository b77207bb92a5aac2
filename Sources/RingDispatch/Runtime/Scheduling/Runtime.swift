internal import LinuxPlatform
internal import Synchronization

/// Event loops, and the threads that serve them.
///
/// The process has one, `shared`, which all queues, sources and connections use. Tests make others,
/// with settings of their own. The loops of each live as long as the process.
package struct Runtime: ~Copyable, Sendable {
    /// The process's runtime, created at first use, with settings from environment variables.
    package static let shared = makeShared()

    let configuration: Configuration
    /// Serves all classes but the background class, and all events.
    let pool: Pool
    let backend: Backend
    /// Nil until it is created, for an item of the background class. Stored (releasing) once;
    /// loaded (acquiring).
    private let background = Atomic<Unmanaged<Pool>?>(nil)
    /// Held while the background pool is created. No attempt before this time, in nanoseconds: the
    /// last one has failed.
    private let backgroundRetry = Locked<UInt64>(0)
    private let nextLoop = Atomic<Int>(0)
    private static let shortage = RepeatedLine()

    init(_ configuration: Configuration) throws(SystemError) {
        let backend = try Backend(requested: configuration.backend)
        let pool = try Pool(isBackground: false, configuration)
        (self.configuration, self.backend, self.pool) = (configuration, backend, pool)
    }

    private static func makeShared() -> Runtime {
        ThreadRegistry.trapInForkedChildren
        // These take their descriptors now, while some are free.
        _ = LibdispatchMainQueue.exists
        _ = SignalDescriptors.shared
        _ = StepDescriptor.shared
        let configuration = Configuration.fromEnvironment()
        if let path = configuration.traceFile { Trace.start(file: path) }
        while true {
            do throws(SystemError) {
                let runtime = try Runtime(configuration)
                if configuration.isLogging { runtime.log() }
                return runtime
            } catch {
                waitForThread(orEndWith: error, configuration)
            }
        }
    }

    /// The runtime cannot be made: waits a moment if there are too many threads, else ends the
    /// process.
    private static func waitForThread(
        orEndWith error: SystemError, _ configuration: Configuration
    ) {
        let isThread = error.call == Threads.creation
        guard isThread, error.code == ErrorCode.tryAgain else {
            if configuration.backend == .ioUring, !isThread {
                fatalConfiguration("io_uring was requested, but cannot be had: \(error)")
            }
            fatalSystemError(error)
        }
        // A receiver of lines may use a queue, and there is no thread for that.
        if !Diagnostics.hasReceiver {
            shortage.log("no thread for the monitor, trying again: \(error)")
        }
        Threads.sleep(milliseconds: 10)
    }

    private func log() {
        Runtime.log(
            "\(backend.kind.rawValue) back end, \(configuration.loops) event loop"
                + (configuration.loops == 1 ? "" : "s") + " (\(backend.reason))",
            level: .information)
    }

    /// Logs while a part of the runtime is being made. A receiver may use a queue, which waits for
    /// that part: so it is called on a thread of its own.
    private static func log(_ message: String, level: Diagnostics.Level = .warning) {
        if Diagnostics.hasReceiver {
            try? Threads.start { Diagnostics.log(message, level: level) }
        } else {
            Diagnostics.log(message, level: level)
        }
    }

    /// Serves the background class, on threads with the lowest priority. Created for its first
    /// item. While no descriptor or thread is to be had, the ordinary threads do its work.
    var backgroundPool: Pool { backgroundPoolIfUsed ?? createBackgroundPool() }

    /// The background pool, if one exists.
    var backgroundPoolIfUsed: Pool? {
        background.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    private func createBackgroundPool() -> Pool {
        backgroundRetry.withLock { retry in
            if let known = backgroundPoolIfUsed { return known }
            let now = MonotonicClock.nanoseconds()
            if now < retry { return pool }
            do throws(SystemError) {
                let created = try Pool(isBackground: true, configuration)
                // A pool lives as long as the process.
                background.store(.passUnretained(created), ordering: .releasing)
                return created
            } catch {
                let isThread = error.call == Threads.creation
                retry = now &+ (isThread ? Tuning.threadRetry : Tuning.ringRetry)
                if !isThread {
                    Runtime.log("background work runs on ordinary threads for now: \(error)")
                }
                return pool
            }
        }
    }

    /// Pushes a work item of a root queue.
    @inline(__always)
    func push(_ workItem: WorkItemPointer, from context: Context) {
        // A queue has a mark of its own.
        if pool.blocks.isAway, workItem.pointee.kind != .queue {
            pushAway(workItem)
            return
        }
        if isForBackground(workItem) {
            pushBackground(workItem, from: context)
        } else {
            push(workItem, to: pool, from: context)
        }
    }

    @inline(never)
    private func pushBackground(_ workItem: WorkItemPointer, from context: Context) {
        push(workItem, to: backgroundPool, from: context)
    }

    @inline(__always)
    private func push(_ workItem: WorkItemPointer, to pool: Pool, from context: Context) {
        if context.pointee.isInLoop, let loop = context.pointee.loop, loop.belongs(to: pool) {
            // The loop itself calls for help after it has taken everything in.
            loop.enqueue(workItem)
            return
        }
        if context.pointee.isWorker, let loop = context.pointee.loop, loop.belongs(to: pool) {
            let isOnly = loop.push(workItem, from: context)
            // While there is little to do, the only item can wait for its turn: usually that comes
            // within microseconds. If the handler stays, the monitor calls a worker.
            if !isOnly || !context.pointee.hasSleptLong { loop.considerHelp() }
        } else {
            let loop = pool.loop(for: context)
            loop.push(workItem, from: context)
            if !loop.isSleeping { loop.considerHelp() }
        }
    }

    /// Pushes a work item whose handlers keep blocking.
    func pushAway(_ workItem: WorkItemPointer) {
        (isForBackground(workItem) ? backgroundPool : pool).pushAway(workItem)
    }

    /// Tasks stay on the ordinary loops: an urgent one may wait for another, which does not raise
    /// the other's priority.
    @inline(__always)
    private func isForBackground(_ workItem: WorkItemPointer) -> Bool {
        workItem.pointee.priority == Priority.background && workItem.pointee.kind != .swiftJob
    }

    /// Pushes work items of one root queue.
    func push(_ workItems: WorkItemList, priority: UInt8, from context: Context) {
        if workItems.isEmpty { return }
        if priority != Priority.background, let loop = context.pointee.loop, loop.belongs(to: pool),
            context.pointee.isWorker, !pool.blocks.isAway
        {
            loop.push(workItems)
            loop.considerHelp()
            return
        }
        workItems.first.forEach { push($0, from: context) }
    }

    /// New sources and connections go to the loops in turn, and wait there until they end.
    func loopForNewSource() -> EventLoop {
        loop(number: nextLoop.wrappingAdd(1, ordering: .relaxed).oldValue)
    }

    /// For callers that distribute their streams over the loops themselves.
    func loop(number: Int) -> EventLoop {
        pool.loops[Int(UInt(bitPattern: number) % UInt(pool.loops.count))]
    }
}
