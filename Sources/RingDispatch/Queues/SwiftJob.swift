internal import LinuxPlatform
internal import Synchronization

/// A job of Swift's concurrency: what a task, or an actor, does until it suspends.
///
/// A job has two words for its executor. They hold its work item, without the field `object`, so
/// that queueing a job allocates nothing.
package struct SwiftJob {
    private let job: UnownedJob

    /// The distance from a job to its two words, the same for all jobs. Stored (relaxed) before a
    /// job is pushed, which releases.
    private static let offset = Atomic<Int>(0)

    /// - Parameter workItem: one that `enqueue` has pushed.
    init(_ workItem: WorkItemPointer) {
        let address = Int(bitPattern: workItem) - SwiftJob.offset.load(ordering: .relaxed)
        // Safety: `UnownedJob` is the address of the job; `workItem` undoes this.
        job = unsafeBitCast(address, to: UnownedJob.self)
    }

    package init(_ job: UnownedJob) { self.job = job }

    // MARK: from any thread

    /// Queues the job on the event loops.
    /// - Parameter words: the job's two words.
    package func enqueue(_ words: UnsafeMutableRawBufferPointer) {
        QueueLayer.install
        Runtime.shared.push(workItem(words), from: Context.current)
    }

    /// The same on the main queue, as a job of the main actor.
    package func enqueueOnMainActor(_ words: UnsafeMutableRawBufferPointer) {
        DispatchQueue.main.push(workItem(words), Context.current)
    }

    func workItem(_ words: UnsafeMutableRawBufferPointer) -> WorkItemPointer {
        guard let start = words.baseAddress, words.count >= 2 * MemoryLayout<UInt>.size else {
            preconditionFailure("a job has two words for its executor")
        }
        let address = unsafeBitCast(job, to: Int.self)
        SwiftJob.offset.store(Int(bitPattern: start) - address, ordering: .relaxed)
        let workItem = start.assumingMemoryBound(to: WorkItem.self)
        // Field by field: the memory ends before `object`.
        workItem.pointee.next = nil
        workItem.pointee.kind = .swiftJob
        workItem.pointee.priority = SwiftJob.priority(job.priority)
        workItem.pointee.isBarrier = false
        return workItem
    }

    /// The raw values are those of `TaskPriority`, whose getters cost more than all of this.
    private static func priority(_ priority: JobPriority) -> UInt8 {
        switch priority.rawValue {
        case 33...: 4
        case 25...: 3
        case 21...: 2
        case 17...: 1
        // Most jobs that the runtime makes itself.
        case 0: 2
        default: 0
        }
    }

    // MARK: on its thread

    func run() {
        // Safety: the runtime's own value for code that belongs to no actor.
        job.runSynchronously(
            on: unsafeBitCast((0, 0), to: UnownedSerialExecutor.self))
    }

    func runOnMainActor() { job.runSynchronously(on: MainActor.sharedUnownedExecutor) }
}
