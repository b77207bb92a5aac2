import Logging
import RingDispatch

// RingDispatch and Foundation both have names such as `DispatchQueue`; this file imports only one.

/// Gives the runtime's messages to the program's logger.
func logToLogger(_ logger: Logger) { DispatchRuntime.setLogger(logger) }

/// The runtime's metrics in Prometheus's text format.
func runtimeMetrics() -> String {
    let now = DispatchRuntime.snapshot()
    return """
        # TYPE ringdispatch_workers gauge
        ringdispatch_workers \(now.workers)
        # TYPE ringdispatch_take_overs_total counter
        ringdispatch_take_overs_total \(now.takeOvers)

        """
}
