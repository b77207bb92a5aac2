import LoadTesting
import RingDispatch
import RingNetwork
import Testing

/// Requests over persistent connections.
@Suite("Loads over HTTP", .watchdog)
struct HTTPLoadTests {
    @Test(
        "requests of each method are answered, with pipelining",
        arguments: HTTPPlan.Method.allCases)
    func methods(method: HTTPPlan.Method) throws {
        let http = HTTPTestServer()
        let server = try TestServer { http.serve($0) }
        var plan = try shortPlan(server.endpoint, scheme: "http", path: "/some/path?and=query")
        plan.http.method = method
        plan.pipeline = 3
        let report = try runLoad(plan.ending(afterRequests: 60))
        #expect(!report.hasFailed, "\(report.text)")
        #expect(report.measurement.messages == 60)
        #expect(Array(http.counts.value.keys) == [method.rawValue])
        #expect(server.acceptedConnections == plan.connections)
    }

    @Test(
        "requests that a server drops when it announces a close are repeated",
        arguments: [false, true])
    func announcedClose(isOpen: Bool) throws {
        let http = HTTPTestServer()
        let server = try TestServer { http.serve($0, requestsPerConnection: 5) }
        var plan = try shortPlan(server.endpoint, scheme: "http", path: "/")
        plan.pipeline = 3
        if isOpen { plan.schedule = .constant(perSecond: 5000) }
        let report = try runLoad(plan.ending(afterRequests: 60))
        #expect(!report.hasFailed, "\(report.text)")
        #expect(report.measurement.messages == 60 && report.measurement.open.unsent == 0)
        #expect(server.acceptedConnections > plan.connections)
    }

    @Test("a message that a server has not answered in time has failed, however often repeated")
    func repeatedForLong() throws {
        let server = try TestServer { connection in
            connection.setReceiveHandler { connection, _ in
                connection.setReceiveHandler { _, _ in }
                connection.queue.asyncAfter(deadline: .now() + .milliseconds(20)) {
                    let end = "Connection: close\r\n"
                    connection.send(
                        Array("HTTP/1.1 200 OK\r\n\(end)Content-Length: 0\r\n\r\n".utf8))
                    connection.closeOutput()
                }
            }
        }
        var plan = try shortPlan(server.endpoint, scheme: "http", path: "/")
        plan.connections = 1
        plan.shards = 1
        // All of them take 2 seconds at least.
        plan.pipeline = 100
        plan.stallNanoseconds = 300_000_000
        let report = try runLoad(plan.lasting(milliseconds: 100))
        #expect(report.errors.first?.contains("no answer to message") == true, "\(report.text)")
    }

    @Test("posted bodies of any size are echoed unchanged", arguments: ["1", "64", "1..20000"])
    func post(sizes: String) throws {
        let http = HTTPTestServer()
        let server = try TestServer { http.serve($0) }
        var plan = try shortPlan(server.endpoint, scheme: "http", path: "/")
        plan.http.method = .post
        plan.http.body = .echo
        plan.sizes = try MessageSizes(sizes)
        let report = try runLoad(plan.ending(afterRequests: 60))
        #expect(!report.hasFailed, "\(report.text)")
        #expect(report.measurement.messages == 60)
    }
}
