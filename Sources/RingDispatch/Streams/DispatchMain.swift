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
    private static let registration = Locked<ReadinessRegistration?>(nil)

    /// Makes the main queue run pending work now, and further work when it arrives.
    static func start() {
        guard LibdispatchMainQueue.exists, let descriptor = LibdispatchMainQueue.descriptor else {
            return
        }
        let registration = ReadinessRegistration(
            descriptor: descriptor, queue: .main, events: PollEvents.readable, staysKnown: true
        ) { events in
            // Any other event: the program has closed libdispatch's descriptor.
            guard events > 0, UInt32(events) & PollEvents.readable != 0 else { return }
            run(descriptor)
        }
        self.registration.withLock { $0 = registration }
        DispatchQueue.main.submit { run(descriptor) }
    }

    private static func run(_ descriptor: Int32) {
        LibdispatchMainQueue.run(clearing: descriptor)
        registration.withLock { $0 }?.start()
    }
}
