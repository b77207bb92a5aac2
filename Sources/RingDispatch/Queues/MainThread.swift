internal import Ring
internal import Synchronization

/// The thread that serves the main queue, and the queue's jobs.
///
/// That is the thread which called `dispatchMain`. As long as none did, libdispatch's main queue
/// has the jobs run, if the process has libdispatch: so they run where the main actor does, and in
/// a run loop. `dispatchMain` serves that queue as well.
enum MainThread {
    private static let inbox = Inbox()

    private final class Inbox: Sendable {
        let jobs = JobInbox()
        /// The main thread's peer, as an address, while it may sleep. The main thread stores it
        /// and looks at `jobs` again before it sleeps; a pusher looks at it after its push.
        let sleeper = Atomic<UInt>(0)
        /// Whether `dispatchMain` serves the jobs. Who does not see it yet asks libdispatch's main
        /// queue, which leaves them to it then.
        let isServed = Atomic<Bool>(false)
    }

    static func push(_ job: JobPointer) {
        let wasEmpty = inbox.jobs.push(job)
        let address = inbox.sleeper.exchange(0, ordering: .sequentiallyConsistent)
        UnsafeMutableRawPointer(bitPattern: address).map(Peer.init)?.grant()
        if wasEmpty, !inbox.isServed.load(ordering: .relaxed), LibdispatchMainQueue.exists {
            LibdispatchMainQueue.async { _ in MainThread.runJobsUnlessServed() }
        }
    }

    private static func runJobsUnlessServed() {
        if !inbox.isServed.load(ordering: .relaxed) { runJobs(Context.current) }
    }

    private static func runJobs(_ context: Context) {
        var jobs = inbox.jobs.takeAll()
        while let job = jobs {
            jobs = job.pointee.next
            job.run(context)
        }
    }

    /// The calling thread is about to call `serve`: libdispatch's main queue leaves the jobs to it.
    static func beginServing() { inbox.isServed.store(true, ordering: .relaxed) }

    /// Serves the main queue for ever.
    static func serve() -> Never {
        let context = Context.current
        let peer = context.pointee.peer
        while true {
            runJobs(context)
            if context.pointee.spin.spin(until: { !inbox.jobs.isEmpty }) { continue }
            inbox.sleeper.store(UInt(bitPattern: peer.address), ordering: .sequentiallyConsistent)
            if inbox.jobs.isEmpty {
                _ = peer.park()
            } else if inbox.sleeper.exchange(0, ordering: .sequentiallyConsistent) == 0 {
                // A pusher was faster: its grant comes.
                _ = peer.park()
            }
        }
    }

    /// Whether the calling thread is the one that serves the main queue, or would.
    static var isCurrent: Bool {
        LibdispatchMainQueue.exists ? LibdispatchMainQueue.isCurrent : Threads.isMain
    }
}

extension DispatchQueue {
    private static let mainQueue = DispatchQueue(
        label: "com.apple.main-thread", qos: .userInitiated, kind: .main, isInactive: false,
        target: nil)

    /// The serial queue of the main thread; the same object at each call.
    /// `dispatch_get_main_queue`.
    ///
    /// ``dispatchMain()`` serves it, and so does what serves the main actor: Foundation's run loop,
    /// and an `async` main, which leaves it to other threads, one at a time.
    public static var main: DispatchQueue { mainQueue }
}
