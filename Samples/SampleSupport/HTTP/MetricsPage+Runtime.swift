package import RingDispatch

extension MetricsPage {
    /// The metrics of the runtime that every server has.
    package mutating func add(_ runtime: DispatchRuntime.Snapshot) {
        gauge("ringdispatch_loops", "Event loops.", runtime.loops.count)
        gauge("ringdispatch_workers", "Worker threads.", runtime.workers)
        counter(
            "ringdispatch_take_overs_total", "Event loops taken over from handlers that stay.",
            runtime.takeOvers)
        counter(
            "ringdispatch_late_wake_ups_total", "Sleeps that ended over 50 ms late.",
            runtime.lateWakeUps)
    }
}
