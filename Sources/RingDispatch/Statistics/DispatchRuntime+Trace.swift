internal import LinuxPlatform

extension DispatchRuntime {
    /// Starts to record what the threads do: which queues' items they run and when, how long
    /// workers wait for events, and who wakes, takes over or steals from which event loop. Earlier
    /// events are forgotten.
    ///
    /// `RINGDISPATCH_TRACE` does this from the start of the process, and writes a file at exit(3).
    /// - Parameter eventsPerThread: how many of the newest events are kept, at least 1. An event
    ///   takes about 50 bytes.
    public static func startTrace(eventsPerThread: Int = 32_768) {
        guard eventsPerThread > 0 else {
            fatalMisuse("DispatchRuntime.startTrace(eventsPerThread: \(eventsPerThread))")
        }
        Trace.start(capacity: eventsPerThread)
    }

    /// Stops recording, and forgets all events.
    public static func stopTrace() { Trace.stop() }

    /// The events since ``startTrace(eventsPerThread:)`` as JSON in the Trace Event Format of
    /// Chrome, which Perfetto (https://ui.perfetto.dev) and chrome://tracing show. Recording goes
    /// on.
    ///
    /// A bar is the time in which a thread ran items of a queue, with the queue's label, or in
    /// which a worker waited for events. What still runs is missing, and so are blocks that `sync`
    /// runs on the calling thread.
    public static func trace() -> String { Trace.json() }
}
