import Histogram
import LoadTesting
import RingDispatch
import RingNetwork
import Testing

@testable import LoadTesting

/// Loads of correct servers.
@Suite("Loads", .watchdog)
struct LoadRunTests {
    @Test("a closed loop measures messages, bytes and latencies without errors")
    func closedLoop() throws {
        let server = try TestServer.echo()
        let report = try runLoad(try shortPlan(server.endpoint))
        #expect(!report.hasFailed, "\(report.text)")
        #expect(report.measurement.messages == 500)
        #expect(report.measurement.bytes >= (report.measurement.messages - 4) * 64)
        #expect(report.percentile(50) > 0 && report.percentile(50) <= report.percentile(99))
        #expect(Int(report.measurement.latencies.totalCount) == report.measurement.messages)
    }

    @Test(
        "messages of any size are echoed, with pipelining",
        arguments: [
            "1", "7", "64", "100000",
            "1..5000", "8:90,4096:9,70000:1",
        ])
    func sizes(size: String) throws {
        let server = try TestServer.echo()
        var plan = try shortPlan(server.endpoint).ending(afterRequests: 100)
        plan.sizes = try MessageSizes(size)
        plan.pipeline = 5
        let report = try runLoad(plan)
        #expect(!report.hasFailed, "\(report.text)")
    }

    @Test("a Unix socket is loaded like TCP")
    func unix() throws {
        let server = try TestServer(
            .unix(try UnixAddress(abstractName: "load-testing-\(UInt64.random(in: 0 ... .max))"))
        ) { connection in connection.setReceiveHandler { $0.send($1) } }
        let report = try runLoad(try shortPlan(server.endpoint))
        #expect(!report.hasFailed, "\(report.text)")
        #expect(report.measurement.messages == 500)
    }

    @Test("lines are answered with other lines, with pipelining")
    func lines() throws {
        let server = try TestServer.answering { connection, bytes in
            for _ in 0..<bytes.count(where: { $0 == UInt8(ascii: "\n") }) {
                connection.send("you said something\n")
            }
        }
        var plan = try shortPlan(server.endpoint)
        plan.line = "hello"
        plan.pipeline = 3
        let report = try runLoad(plan)
        #expect(!report.hasFailed, "\(report.text)")
        #expect(report.measurement.messages == 500)
    }

    @Test(
        "a line without an answer, or with a part of one, has failed after the stall time-out",
        arguments: [("", ErrorCounts.Kind.stalled), ("no end", .truncation)])
    func unansweredLine(answer: String, kind: ErrorCounts.Kind) throws {
        let server = try TestServer.answering { connection, _ in
            if !answer.isEmpty { connection.send(answer) }
        }
        var plan = try shortPlan(server.endpoint)
        plan.line = "hello"
        plan.stallNanoseconds = 150_000_000
        let report = try runLoad(plan)
        #expect(report.errors.count(kind) == 4, "\(report.errors.text)")
    }

    @Test("the intervals cover the measured time, from its begin to its end")
    func intervals() throws {
        let server = try TestServer.echo()
        var plan = try shortPlan(server.endpoint).lasting(milliseconds: 1600)
        plan.intervalNanoseconds = 1_000_000_000
        let report = try runLoad(plan)
        #expect(report.intervals.allSatisfy { !$0.isWarmingUp }, "\(report.csv)")
        // A rest of less than half an interval is none.
        let seconds = report.intervals.reduce(0) { $0 + $1.lengthSeconds }
        #expect(seconds >= report.measurement.seconds - 0.5, "\(report.csv)")
        #expect(report.intervals.contains { $0.messages > 0 })
    }

    @Test("exactly --requests messages are sent", arguments: [false, true])
    func requests(isOpen: Bool) throws {
        let server = try TestServer.echo()
        var plan = try shortPlan(server.endpoint)
        plan.requests = 1001
        if isOpen { plan.schedule = .constant(perSecond: 20_000) }
        let report = try runLoad(plan)
        #expect(!report.hasFailed, "\(report.text)")
        #expect(report.measurement.messages == 1001 && report.measurement.open.unsent == 0)
    }

    @Test("connections are replaced after --churn messages")
    func churn() throws {
        let server = try TestServer.echo()
        var plan = try shortPlan(server.endpoint)
        plan.messagesPerConnection = 10
        let report = try runLoad(plan)
        #expect(!report.hasFailed, "\(report.text)")
        #expect(Int(report.measurement.connects.totalCount) > plan.connections)
        #expect(server.acceptedConnections >= report.measurement.messages / 10)
    }

    @Test("the last answer ends a run with --requests, even if connections are replaced")
    func churnOfRequests() throws {
        let server = try TestServer.echo()
        var plan = try shortPlan(server.endpoint).ending(afterRequests: 60)
        plan.messagesPerConnection = 2
        let report = try runLoad(plan)
        #expect(!report.hasFailed, "\(report.text)")
        #expect(report.measurement.messages == 60)
        #expect(report.measurement.seconds < Double(plan.durationNanoseconds) / 1e9 / 2)
    }

    @Test("a run with --requests ends although one shard has failed")
    func requestsOfFailedShard() throws {
        nonisolated(unsafe) var received = 0
        let server = try TestServer.answering { connection, bytes in
            received += 1
            received == 1 ? connection.close() : connection.send(bytes)
        }
        var plan = try shortPlan(server.endpoint)
        plan.connections = 2
        let report = try runLoad(plan)
        #expect(report.errors.text == "1 (closed by the server 1)")
        #expect(report.measurement.messages == 250)
        #expect(report.measurement.seconds < 30, "\(report.text)")
    }

    @Test("several targets share the connections")
    func targets() throws {
        let servers = [try TestServer.echo(), try TestServer.echo()]
        var plan = try shortPlan(servers[0].endpoint)
        plan.targets.append(try LoadTarget("tcp://\(servers[1].endpoint)"))
        let report = try runLoad(plan)
        #expect(!report.hasFailed, "\(report.text)")
        #expect(servers.map(\.acceptedConnections) == [2, 2])
    }

    @Test("a correct server bears idle and hostile clients besides the load")
    func backgroundClients() throws {
        let server = try TestServer.echo()
        var plan = try shortPlan(server.endpoint).lasting(milliseconds: 60_000)
        plan.schedule = .constant(perSecond: 200)
        plan.idleConnections = 3
        plan.hostile = HostileProfile.allCases
        plan.hostileConnections = 2
        let run = try LoadRun(plan)
        // Each client has connected, and some again after a reset.
        let each = 4 + 3 + 2 * HostileProfile.allCases.count
        let waiter = UserThread {
            _ = poll { server.acceptedConnections >= each + 12 }
            run.interrupt()
        }
        let report = try run.waitForReport()
        #expect(waiter.join())
        #expect(!report.hasFailed && report.measurement.messages > 0, "\(report.text)")
        for profile in HostileProfile.allCases {
            #expect(report.hostile[profile]?.opened ?? 0 >= 2, "\(profile)")
        }
        #expect(report.hostile[.halfClose]?.bytesReceived ?? 0 > 0)
        let slow = try #require(report.hostile[.slowReader])
        #expect(slow.bytesReceived > 0 && slow.bytesReceived < slow.bytesSent / 100, "\(slow)")
        #expect(report.hostile[.reset]?.opened ?? 0 > 2)
    }

    @Test("a run that is too short for its idle connections says so")
    func fewIdle() throws {
        let server = try TestServer.echo()
        var plan = try shortPlan(server.endpoint)
        plan.idleConnections = 100_000
        plan.connectsPerSecond = 200
        let report = try runLoad(plan)
        #expect(!report.hasFailed, "\(report.text)")
        #expect(report.measurement.idleConnections < 100_000)
        #expect(
            report.warnings.contains { $0.contains("of 100,000 idle connections were opened") },
            "\(report.text)")
    }

    @Test("a server that hangs over the end shows in the latencies")
    func hangAtEnd() throws {
        let interruptible = Watched<LoadRun?>(nil)
        nonisolated(unsafe) var received = 0
        nonisolated(unsafe) var held: [(Connection, [UInt8])]? = []
        let server = try TestServer.answering { connection, bytes in
            received += 1
            if received < 100 || held == nil { return connection.send(bytes) }
            held?.append((connection, bytes))
            guard received == 100 else { return }
            connection.queue.asyncAfter(deadline: .now() + .milliseconds(200)) {
                interruptible.value?.interrupt()
            }
            // The drain then ends without a stall.
            connection.queue.asyncAfter(deadline: .now() + .milliseconds(600)) {
                for (connection, bytes) in held ?? [] {
                    connection.queue.async { connection.send(bytes) }
                }
                held = nil
            }
        }
        let run = try LoadRun(try shortPlan(server.endpoint).lasting(milliseconds: 60_000))
        interruptible.update { $0 = run }
        let report = try run.waitForReport()
        #expect(!report.hasFailed, "\(report.text)")
        #expect(report.measurement.latencies.max >= 200_000_000, "\(report.text)")
    }

    @Test("a connection that is being replaced at the end is given up, and errors are reported")
    func connectingAtEnd() throws {
        let listener = FullListener()
        var plan = try shortPlan(listener.endpoint).lasting(milliseconds: 300)
        plan.connections = 2
        plan.shards = 1
        plan.messagesPerConnection = 1
        let server = UserThread { listener.serve() }
        let report = try runLoad(plan)
        #expect(server.join())
        #expect(report.errors.text == "1 (closed by the server 1)", "\(report.text)")
    }

    @Test("connections can be started at a rate")
    func connectRate() throws {
        let server = try TestServer.echo()
        var plan = try shortPlan(server.endpoint)
        plan.connections = 20
        plan.connectsPerSecond = 200
        let report = try runLoad(plan)
        #expect(!report.hasFailed, "\(report.text)")
        #expect(Int(report.measurement.connects.totalCount) == 20)
    }

    @Test("idle connections are started at the same rate")
    func idleConnectRate() throws {
        let server = try TestServer.echo()
        var plan = try shortPlan(server.endpoint).lasting(milliseconds: 60_000)
        plan.connections = 1
        plan.idleConnections = 20
        plan.connectsPerSecond = 40
        let run = try LoadRun(plan)
        let waiter = UserThread {
            _ = poll { server.acceptedConnections == 21 }
            run.interrupt()
        }
        let start = ContinuousClock.now
        let report = try run.waitForReport()
        #expect(ContinuousClock.now - start > .milliseconds(470))
        #expect(waiter.join())
        #expect(!report.hasFailed, "\(report.text)")
        #expect(server.acceptedConnections == 21)
    }

    @Test("connecting may take long while it makes progress")
    func slowConnecting() throws {
        let server = try TestServer.echo()
        var plan = try shortPlan(server.endpoint)
        plan.connections = 40
        // For 8 s.
        plan.connectsPerSecond = 5
        let run = try LoadRun(plan)
        run.connectTimeout = 4_900_000_000
        let report = try run.waitForReport()
        #expect(!report.hasFailed, "\(report.text)")
        #expect(Int(report.measurement.connects.totalCount) == 40)
    }

    @Test("an interrupted run has a report")
    func interrupt() throws {
        let server = try TestServer.echo()
        var plan = try shortPlan(server.endpoint).lasting(milliseconds: 60_000)
        plan.intervalNanoseconds = 20_000_000
        let intervals = Watched(0)
        let run = try LoadRun(plan) { _ in intervals.increment() }
        _ = UserThread {
            _ = intervals.wait(seconds: Patience.seconds) { $0 >= 3 }
            run.interrupt()
        }
        let report = try run.waitForReport()
        #expect(report.wasInterrupted && !report.hasFailed, "\(report.text)")
        #expect(report.intervals.count >= 3)
        #expect(report.text.contains("(interrupted)"))
    }
}
