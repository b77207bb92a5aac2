#if TLS
import LoadTesting
import RingDispatch
import RingNetwork
import RingTLS
import Testing

/// Loads over TLS.
@Suite(
    "Loads over TLS", .watchdog,
    .enabled(if: TestIdentities.openssl != nil, "openssl is not installed"))
struct SecuredLoadTests {
    private func makeServer(
        _ serve: @escaping @Sendable (Connection) -> Void = { connection in
            connection.setReceiveHandler { $0.send($1) }
        }
    ) throws -> TestServer {
        let context = try TLSContext(serverConfiguration())
        return try TestServer(tls: TLSContextStore(context), serve: serve)
    }

    private func makePlan(
        _ server: TestServer, scheme: String = "tls", path: String = ""
    ) throws -> LoadPlan {
        var plan = try shortPlan(server.endpoint, scheme: scheme, path: path)
        plan.tls.trustRoots = TestIdentities.authority.trust
        return plan
    }

    @Test("messages are echoed over TLS", arguments: ["64", "1..50000"])
    func echo(sizes: String) throws {
        let server = try makeServer()
        var plan = try makePlan(server)
        plan.sizes = try MessageSizes(sizes)
        plan.pipeline = 3
        let report = try runLoad(plan.ending(afterRequests: 60))
        #expect(!report.hasFailed, "\(report.text)")
        #expect(report.measurement.messages == 60)
    }

    @Test("requests of https:// are answered")
    func https() throws {
        let http = HTTPTestServer()
        let server = try makeServer { http.serve($0) }
        let plan = try makePlan(server, scheme: "https", path: "/path")
        let report = try runLoad(plan.ending(afterRequests: 60))
        #expect(!report.hasFailed, "\(report.text)")
        // Messages in flight when the measurement began are not counted.
        #expect(http.counts.value["GET"] ?? 0 >= 60)
        #expect(report.measurement.messages == 60)
    }

    @Test("connections are replaced over TLS")
    func churn() throws {
        let server = try makeServer()
        var plan = try makePlan(server)
        plan.messagesPerConnection = 2
        let report = try runLoad(plan.ending(afterRequests: 60))
        #expect(!report.hasFailed, "\(report.text)")
        #expect(server.acceptedConnections > plan.connections)
    }

    @Test("a handshake that fails for a replaced connection is counted, and tried again later")
    func churnWithFailures() throws {
        let store = TLSContextStore(try TLSContext(serverConfiguration()))
        let other = try TLSContext(serverConfiguration(TestIdentities.otherAuthority))
        let server = try TestServer(tls: store) { connection in
            connection.setReceiveHandler { connection, span in
                store.replace(with: other)
                connection.send(span)
            }
        }
        var plan = try makePlan(server).lasting(milliseconds: 60_000)
        plan.connections = 1
        plan.shards = 1
        plan.messagesPerConnection = 1
        let run = try LoadRun(plan)
        let start = DispatchTime.now()
        let waiter = UserThread {
            _ = poll { server.acceptedConnections >= 5 }
            run.interrupt()
        }
        let report = try run.waitForReport()
        #expect(waiter.join())
        #expect(report.errors.count(.receive) >= 3, "\(report.text)")
        // Before each but the first two connections, there is a pause.
        #expect(DispatchTime.now() >= start + .milliseconds(300))
    }

    @Test("an untrusted certificate is reported with a remedy, and accepted with --insecure")
    func unknownAuthority() throws {
        let server = try makeServer()
        var plan = try makePlan(server)
        plan.tls.trustRoots = TestIdentities.otherAuthority.trust
        let text = failure(of: plan)
        #expect(text.contains("--ca FILE") && text.contains("certificate"), "\(text)")
        plan.tls.verification = .none
        let report = try runLoad(plan.ending(afterRequests: 60))
        #expect(!report.hasFailed, "\(report.text)")
    }

    @Test("a server without TLS is reported as such")
    func plainServer() throws {
        let server = try TestServer.echo()
        let text = failure(of: try makePlan(server))
        #expect(text.contains("TLS"), "\(text)")
    }

    /// Why a run failed, before its start or during it.
    private func failure(of plan: LoadPlan) -> String {
        do {
            let report = try runLoad(plan)
            #expect(report.hasFailed, "\(report.text)")
            return report.text
        } catch {
            return "\(error)"
        }
    }
}
#endif
