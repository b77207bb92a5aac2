internal import LinuxPlatform
internal import Synchronization

/// The thread that serves the main queue, and the queue's work items.
///
/// That is the thread which called `dispatchMain`. As long as none did, libdispatch's main queue
/// has the work items run, if the process has libdispatch: so they run where the main actor does, and in
/// a run loop. `dispatchMain` serves that queue as well.
enum MainThread {
    private static let inbox = Inbox()

    private final class Inbox: Sendable {
        let workItems = WorkItemInbox()
        /// The main thread's peer, as an address, while it may sleep. The main thread stores it
        /// and looks at `workItems` again before it sleeps; a pusher looks at it after its push.
        let sleeper = Atomic<UInt>(0)
        /// Whether `dispatchMain` serves the work items. Who does not see it yet asks libdispatch's main
        /// queue, which leaves them to it then.
        let isServed = Atomic<Bool>(false)
    }

    static func push(_ workItem: WorkItemPointer) {
        let wasEmpty = inbox.workItems.push(workItem)
        let address = inbox.sleeper.exchange(0, ordering: .sequentiallyConsistent)
        UnsafeMutableRawPointer(bitPattern: address).map(ThreadHandle.init)?.grant()
        if wasEmpty, !inbox.isServed.load(ordering: .relaxed), LibdispatchMainQueue.exists {
            LibdispatchMainQueue.async { _ in MainThread.runWorkItemsUnlessServed() }
        }
    }

    private static func runWorkItemsUnlessServed() {
        if !inbox.isServed.load(ordering: .relaxed) { runWorkItems(Context.current) }
    }

    private static func runWorkItems(_ context: Context) {
        var workItems = inbox.workItems.takeAll()
        while let workItem = workItems {
            workItems = workItem.pointee.next
            workItem.run(context)
        }
    }

    /// The calling thread is about to call `serve`: libdispatch's main queue leaves the work items to it.
    static func beginServing() { inbox.isServed.store(true, ordering: .relaxed) }

    /// Serves the main queue for ever.
    static func serve() -> Never {
        let context = Context.current
        let threadHandle = context.pointee.threadHandle
        while true {
            runWorkItems(context)
            if context.pointee.spin.spin(until: { !inbox.workItems.isEmpty }) { continue }
            inbox.sleeper.store(
                UInt(bitPattern: threadHandle.address), ordering: .sequentiallyConsistent)
            if inbox.workItems.isEmpty {
                _ = threadHandle.park()
            } else if inbox.sleeper.exchange(0, ordering: .sequentiallyConsistent) == 0 {
                // A pusher was faster: its grant comes.
                _ = threadHandle.park()
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
