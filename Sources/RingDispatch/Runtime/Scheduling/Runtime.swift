internal import LinuxPlatform
internal import Synchronization

/// The process's event loops, created at first use.
package enum Runtime {
    static let configuration = Configuration.fromEnvironment()

    private static let start = makeStart()

    /// Serves all classes but the background class, and all events.
    static var pool: Pool { start.pool }

    /// Serves the background class, on threads with the lowest priority. Created for its first
    /// item. If no descriptor is free then, the ordinary threads do its work.
    static let backgroundPool: Pool = {
        do throws(SystemError) {
            // Its thread must not be made by a background worker.
            Runtime.pool.monitor.noteActivity()
            let pool = try makePool(isBackground: true)
            isBackgroundPoolUsed.store(true, ordering: .releasing)
            return pool
        } catch {
            Diagnostics.log("background work runs on ordinary threads: \(error)")
            return pool
        }
    }()

    /// Stored (releasing) after the background pool is created; loaded (acquiring) before it is
    /// used.
    private static let isBackgroundPoolUsed = Atomic<Bool>(false)

    /// The background pool, if one exists.
    static var backgroundPoolIfUsed: Pool? {
        isBackgroundPoolUsed.load(ordering: .acquiring) ? backgroundPool : nil
    }

    /// For the signal sources, which then cannot fail.
    static let signalDescriptors: SignalDescriptors = {
        do throws(SystemError) {
            return try SignalDescriptors()
        } catch {
            fatalSystemError(error)
        }
    }()

    /// A ring for the sends of a loop's streams; nil where io_uring is refused.
    static func makeSendRing() throws(SystemError) -> SendRing? { try start.factory.makeSendRing() }

    /// A ring of its own for a part of the runtime; nil where io_uring is refused.
    static func makeRing() throws(SystemError) -> Ring? { try start.factory.makeRing() }

    static var backend: BackendKind { start.factory.kind }
    static var backendReason: String { start.factory.reason }

    /// Pushes a work item of a root queue.
    @inline(__always)
    static func push(_ workItem: WorkItemPointer, from context: Context) {
        if pool.blocks.isAway, [.block, .swiftJob].contains(workItem.pointee.kind) {
            pushAway(workItem)
            return
        }
        if isForBackground(workItem) {
            pushBackground(workItem, from: context)
            return
        }
        if context.pointee.isInLoop, let loop = context.pointee.loop, !loop.isBackground {
            // The loop itself calls for help after it has taken everything in.
            loop.enqueue(workItem)
            return
        }
        if context.pointee.isWorker, let loop = context.pointee.loop, !loop.isBackground {
            let isOnly = loop.push(workItem, from: context)
            // While there is little to do, the only item can wait for its turn: usually that comes
            // within microseconds. If the handler stays, the monitor calls a worker.
            if !isOnly || !context.pointee.hasSleptLong { loop.considerHelp() }
        } else {
            let loop = pool.loop(for: context)
            loop.push(workItem, from: context)
            if !loop.isIdle { loop.considerHelp() }
        }
    }

    /// Pushes a work item whose handlers keep blocking.
    static func pushAway(_ workItem: WorkItemPointer) {
        (isForBackground(workItem) ? backgroundPool : pool).pushAway(workItem)
    }

    /// Tasks stay on the ordinary loops: an urgent one may wait for another, which does not raise
    /// the other's priority.
    @inline(__always)
    private static func isForBackground(_ workItem: WorkItemPointer) -> Bool {
        workItem.pointee.priority == Priority.background && workItem.pointee.kind != .swiftJob
    }

    /// Pushes work items of one root queue.
    static func push(_ workItems: consuming WorkItemChain, priority: UInt8, from context: Context) {
        if workItems.isEmpty { return }
        if priority != Priority.background, let loop = context.pointee.loop, !loop.isBackground,
            context.pointee.isWorker, !pool.blocks.isAway
        {
            loop.push(workItems)
            loop.considerHelp()
            return
        }
        var rest = workItems.inOrder()
        while let workItem = rest {
            rest = workItem.pointee.next
            push(workItem, from: context)
        }
    }

    @inline(never)
    private static func pushBackground(_ workItem: WorkItemPointer, from context: Context) {
        if let loop = context.pointee.loop, loop.isBackground {
            loop.push(workItem, from: context)
            loop.considerHelp()
        } else {
            let loops = backgroundPool.loops
            let usual = loops[Int(context.pointee.identifier) % loops.count]
            (loops.first { $0.isIdle } ?? usual).push(workItem, from: context)
        }
    }

    /// The loop that holds the timers of a thread.
    static func timerLoop(for context: Context) -> EventLoop {
        if let loop = context.pointee.loop, !loop.isBackground { return loop }
        return pool.loop(for: context)
    }

    private static let nextLoop = Atomic<Int>(0)

    /// New sources and connections go to the loops in turn, and wait there until they end.
    static func loopForNewSource() -> EventLoop {
        let loops = pool.loops
        guard loops.count > 1 else { return loops[0] }
        let number = nextLoop.wrappingAdd(1, ordering: .relaxed).oldValue
        return loops[Int(UInt(bitPattern: number) % UInt(loops.count))]
    }

    /// For callers that distribute their streams over the loops themselves.
    static func loop(number: Int) -> EventLoop {
        pool.loops[Int(UInt(bitPattern: number) % UInt(pool.loops.count))]
    }

    private struct Start {
        let factory: BackendFactory
        let pool: Pool
    }

    private static func makeStart() -> Start {
        ThreadRegistry.trapInForkedChildren
        // These take their descriptors now, while some are free.
        _ = LibdispatchMainQueue.exists
        _ = signalDescriptors
        if let path = configuration.traceFile { Trace.start(file: path) }
        do throws(SystemError) {
            let start = Start(
                factory: try BackendFactory(preference: configuration.backend),
                pool: try makePool(isBackground: false))
            if configuration.isLogging {
                Diagnostics.log(
                    "\(start.factory.kind.rawValue) back end, \(configuration.loops) event loop"
                        + (configuration.loops == 1 ? "" : "s") + " (\(start.factory.reason))",
                    level: .information)
            }
            return start
        } catch {
            if configuration.backend == .ioUring {
                fatalConfiguration("io_uring was requested, but cannot be had: \(error)")
            }
            fatalSystemError(error)
        }
    }

    private static func makePool(isBackground: Bool) throws(SystemError) -> Pool {
        try Pool(
            isBackground: isBackground, loopCount: configuration.loops,
            workerLimit: configuration.workers)
    }
}
