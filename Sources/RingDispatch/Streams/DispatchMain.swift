internal import LinuxPlatform

/// Serves the main queue on the main thread, and the main actor. Never returns. `dispatch_main`.
public func dispatchMain() -> Never {
    guard Threads.isMain else {
        fatalMisuse("dispatchMain() was called on a thread that is not the main thread")
    }
    MainThread.beginServing()
    LibdispatchService.start()
    MainThread.serve()
}

/// Runs the work of libdispatch's main queue, in a process that has libdispatch.
private enum LibdispatchService {
    private static let wait = Locked<ReadinessWait?>(nil)

    /// Makes the main queue run pending work now, and further work when it arrives.
    static func start() {
        guard LibdispatchMainQueue.exists, let descriptor = LibdispatchMainQueue.descriptor else {
            return
        }
        let wait = ReadinessWait(
            descriptor: descriptor, queue: .main, events: PollEvents.readable
        ) { events in
            // Any other event: the program has closed libdispatch's descriptor.
            if events & PollEvents.readable != 0 { run(descriptor) }
        }
        self.wait.withLock { $0 = wait }
        DispatchQueue.main.submit { run(descriptor) }
    }

    private static func run(_ descriptor: Int32) {
        LibdispatchMainQueue.run(clearing: descriptor)
        wait.withLock { $0 }?.start()
    }
}
