internal import LinuxPlatform
internal import Synchronization

/// The main queue's work items, and the thread that serves them: the caller of `dispatchMain`.
///
/// Without one, the work items run on libdispatch's main queue, if the process has libdispatch:
/// there the main actor and run loops serve them. `dispatchMain` serves libdispatch's main queue,
/// too.
enum MainThread {
    private static let workItems = WorkItemInbox()
    /// The address of the main thread's `ThreadHandle` while it may sleep, else 0.
    /// Store-then-check with `workItems`.
    private static let sleeper = Atomic<UInt>(0)
    /// Whether `dispatchMain` serves the work items. Relaxed: a pusher that reads a stale false
    /// submits to libdispatch's main queue, whose block checks again.
    private static let isServed = Atomic<Bool>(false)

    static func push(_ workItem: WorkItemPointer) {
        let wasEmpty = workItems.push(workItem)
        let address = sleeper.exchange(0, ordering: .sequentiallyConsistent)
        UnsafeMutableRawPointer(bitPattern: address).map(ThreadHandle.init)?.grant()
        if wasEmpty, !isServed.load(ordering: .relaxed), LibdispatchMainQueue.exists {
            LibdispatchMainQueue.async { _ in
                if !MainThread.isServed.load(ordering: .relaxed) {
                    MainThread.runWorkItems(Context.current)
                }
            }
        }
    }

    private static func runWorkItems(_ context: Context) {
        workItems.takeAll().forEach { $0.run(context) }
    }

    /// Makes libdispatch's main queue leave the work items to the caller of `serve`.
    static func beginServing() { isServed.store(true, ordering: .relaxed) }

    static func serve() -> Never {
        let context = Context.current
        let threadHandle = context.pointee.threadHandle
        while true {
            runWorkItems(context)
            if context.pointee.spin.spin(until: { !workItems.isEmpty }) { continue }
            sleeper.store(
                UInt(bitPattern: threadHandle.address), ordering: .sequentiallyConsistent)
            // A pusher that has taken the handle grants.
            if workItems.isEmpty
                || sleeper.exchange(0, ordering: .sequentiallyConsistent) == 0
            {
                _ = threadHandle.park()
            }
        }
    }

    /// Whether the calling thread serves the main queue, or would.
    static var isCurrent: Bool {
        LibdispatchMainQueue.exists ? LibdispatchMainQueue.isCurrent : Threads.isMain
    }
}

extension DispatchQueue {
    /// The serial queue of the main thread; each call returns the same object.
    /// `dispatch_get_main_queue`.
    ///
    /// ``dispatchMain()`` serves it, and so does the code that serves the main actor: Foundation's
    /// run loop, or an `async` main, which runs the items on other threads, one at a time.
    public static let main = DispatchQueue(
        label: "com.apple.main-thread", qos: .userInitiated, kind: .main, isInactive: false,
        target: nil)
}
