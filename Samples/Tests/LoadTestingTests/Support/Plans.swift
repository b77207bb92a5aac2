import LoadTesting
import RingNetwork

/// A short run against a server in the test.
func shortPlan(_ endpoint: Endpoint, scheme: String = "tcp", path: String = "") throws -> LoadPlan {
    let text =
        if case .unix = endpoint { "\(endpoint)" } else { "\(scheme)://\(endpoint)\(path)" }
    var plan = try LoadPlan([try LoadTarget(text)])
    plan.connections = 4
    plan.shards = 2
    plan.warmupNanoseconds = 0
    plan.stallNanoseconds = UInt64(Patience.seconds) * 1_000_000_000
    return plan.ending(afterRequests: 500)
}

extension LoadPlan {
    /// Runs until the messages are answered, however long a busy machine takes.
    func ending(afterRequests count: Int) -> LoadPlan {
        var plan = self
        plan.requests = count
        plan.durationNanoseconds = UInt64(2 * Patience.seconds) * 1_000_000_000
        return plan
    }

    /// Runs for a time, however few messages a busy machine sends.
    func lasting(milliseconds: UInt64) -> LoadPlan {
        var plan = self
        plan.requests = nil
        plan.durationNanoseconds = milliseconds * 1_000_000
        return plan
    }
}

func runLoad(_ plan: LoadPlan) throws -> LoadReport { try LoadRun(plan).waitForReport() }
