// Sends 5,000 messages a second to an echo server, and checks the answers and the latencies.
import LoadTesting
// snippet.hide
import RingNetwork

let listener = try Listener(Endpoint("127.0.0.1:0"))
listener.setConnectionHandler { connection in
    connection.setReceiveHandler { connection, bytes in connection.send(bytes) }
    connection.activate()
}
listener.activate()
let server = listener.endpoint
// snippet.show

var plan = try LoadPlan([try LoadTarget("tcp://\(server)")])
plan.schedule = .constant(perSecond: 5_000)
// snippet.hide
plan.requests = 1_000
// snippet.show
let report = try LoadRun(plan).waitForReport()
precondition(!report.hasFailed, report.text)
print("99 % of the answers arrived within", report.percentile(99) / 1_000, "µs")

// snippet.hide
precondition(report.measurement.messages == 1_000, report.text)
