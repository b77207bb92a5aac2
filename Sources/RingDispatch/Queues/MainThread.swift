internal import Ring
internal import Synchronization

/// The thread that called `dispatchMain`, and the jobs of the main queue.
enum MainThread {
    private static let inbox = Inbox()

    private final class Inbox: Sendable {
        let jobs = JobInbox()
        /// The main thread's peer, as an address, while it may sleep. The main thread stores it
        /// and looks at `jobs` again before it sleeps; a pusher looks at it after its push.
        let sleeper = Atomic<UInt>(0)
    }

    static func push(_ job: JobPointer) {
        _ = inbox.jobs.push(job)
        let address = inbox.sleeper.exchange(0, ordering: .sequentiallyConsistent)
        UnsafeMutableRawPointer(bitPattern: address).map(Peer.init)?.grant()
    }

    /// Serves the main queue for ever.
    static func serve() -> Never {
        let context = Context.current
        let peer = context.pointee.peer
        while true {
            var jobs = inbox.jobs.takeAll()
            while let job = jobs {
                jobs = job.pointee.next
                job.run(context)
            }
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
}

extension DispatchQueue {
    private static let mainQueue: DispatchQueue = {
        let queue = DispatchQueue(
            label: "com.apple.main-thread", qos: .userInitiated, kind: .main, isInactive: false,
            target: nil)
        // Until dispatchMain lets go of it, the main thread is on the main queue.
        queue.state.store(UInt64(Threads.mainIdentifier), ordering: .relaxed)
        return queue
    }()

    /// The serial queue that `dispatchMain` serves on the main thread; the same object at each
    /// call. `dispatch_get_main_queue`.
    public static var main: DispatchQueue { mainQueue }

    final func letGoOfMain() {
        unlock(asBarrier: false, Context.current)
    }
}

/// Serves the main queue on the main thread. Never returns. `dispatch_main`.
public func dispatchMain() -> Never {
    guard Threads.isMain else {
        fatalMisuse("dispatchMain() was called on a thread that is not the main thread")
    }
    DispatchQueue.main.letGoOfMain()
    MainThread.serve()
}
