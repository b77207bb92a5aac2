internal import Ring
internal import Synchronization

/// The process's lanes, made at first use.
package enum Runtime {
    static let configuration = Configuration.fromEnvironment()

    private static let factory = makeFactory()

    /// Serves everything but the background class, and all events.
    static let pool: Pool = {
        do throws(KernelError) {
            return try makePool(isBackground: false)
        } catch {
            fatalKernel(error)
        }
    }()

    /// Serves the background class, on threads with lowest priority. Made at its first item: where
    /// descriptors are short by then, the ordinary threads do its work.
    static let backgroundPool: Pool = {
        do throws(KernelError) {
            let pool = try makePool(isBackground: true)
            isBackgroundPoolUsed.store(true, ordering: .releasing)
            return pool
        } catch {
            Diagnostics.log("background work runs on ordinary threads: \(error)")
            return pool
        }
    }()

    /// Its store (releasing) follows the pool's making; read (acquiring) before the pool is.
    private static let isBackgroundPoolUsed = Atomic<Bool>(false)

    /// The background pool, if there is one of its own yet.
    static var backgroundPoolIfUsed: Pool? {
        isBackgroundPoolUsed.load(ordering: .acquiring) ? backgroundPool : nil
    }

    static var backend: Backend { factory.backend }
    static var backendReason: String { factory.reason }

    /// Queues a job of a root queue.
    @inline(__always)
    static func push(_ job: JobPointer, from context: Context) {
        if job.pointee.band == Band.background {
            pushBackground(job, from: context)
            return
        }
        if context.pointee.isInLane, let lane = context.pointee.lane, !lane.isBackground {
            // The lane looks for help itself when it has taken everything in.
            lane.enqueue(job)
            return
        }
        if context.pointee.worker != nil, let lane = context.pointee.lane, !lane.isBackground {
            lane.push(job, from: context)
            lane.considerHelp()
        } else {
            let lane = pool.lane(for: context)
            lane.push(job, from: context)
            if !lane.isIdle { lane.considerHelp() }
        }
    }

    /// Queues jobs of one root queue.
    static func push(_ jobs: consuming JobChain, band: UInt8, from context: Context) {
        if jobs.isEmpty { return }
        if band != Band.background, let lane = context.pointee.lane, !lane.isBackground,
            context.pointee.worker != nil
        {
            lane.push(jobs, from: context)
            lane.considerHelp()
            return
        }
        var rest = jobs.inOrder()
        while let job = rest {
            rest = job.pointee.next
            push(job, from: context)
        }
    }

    @inline(never)
    private static func pushBackground(_ job: JobPointer, from context: Context) {
        if let lane = context.pointee.lane, lane.isBackground {
            lane.push(job, from: context)
            lane.considerHelp()
        } else {
            let lanes = backgroundPool.lanes
            let usual = lanes[Int(context.pointee.identifier) % lanes.count]
            (lanes.first { $0.isIdle } ?? usual).push(job, from: context)
        }
    }

    /// The lane whose timers a thread uses.
    static func timerLane(for context: Context) -> Lane {
        if let lane = context.pointee.lane, !lane.isBackground { return lane }
        return pool.lane(for: context)
    }

    private static let nextLane = Atomic<Int>(0)

    /// Sources start on the lanes in turn; later each follows its queue.
    static func laneForNewSource() -> Lane {
        let lanes = pool.lanes
        guard lanes.count > 1 else { return lanes[0] }
        let number = nextLane.wrappingAdd(1, ordering: .relaxed).oldValue
        return lanes[Int(UInt(bitPattern: number) % UInt(lanes.count))]
    }

    /// For those who deal their streams to the lanes themselves.
    static func lane(number: Int) -> Lane {
        pool.lanes[Int(UInt(bitPattern: number) % UInt(pool.lanes.count))]
    }

    /// How many event loops the ordinary classes of service have.
    package static var laneCount: Int { pool.lanes.count }

    private static func makeFactory() -> KernelFactory {
        do {
            let factory = try KernelFactory(preference: configuration.backend)
            if configuration.isLogging {
                Diagnostics.log(
                    "\(factory.backend.rawValue) back end, \(configuration.lanes) lane"
                        + (configuration.lanes == 1 ? "" : "s") + " (\(factory.reason))")
            }
            return factory
        } catch {
            fatalConfiguration("RINGDISPATCH_BACKEND=io_uring cannot be had: \(error)")
        }
    }

    private static func makePool(isBackground: Bool) throws(KernelError) -> Pool {
        ThreadRegistry.trapInForkedChildren
        // It takes its descriptor while there are some.
        _ = LibdispatchMainQueue.exists
        return try Pool(
            isBackground: isBackground, laneCount: configuration.lanes,
            workerLimit: configuration.workers, settings: configuration.kernel,
            factory: factory)
    }
}
