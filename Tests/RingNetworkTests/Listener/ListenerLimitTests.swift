import Glibc
import RingDispatch
@testable import RingNetwork
import Testing

@Suite("Limits of listeners", .watchdog)
struct ListenerLimitTests {
    private func counters(_ listener: Listener) -> ListenerCounters {
        listener.queue.sync { listener.counters }
    }

    @Test("At the limit nobody is accepted, and later every waiting client is")
    func total() throws {
        let listener = try makeEchoListener { $0.connectionLimit = 3 }
        let wires = (0..<20).map { _ in Wire.connect(to: listener.port) }
        for wire in wires { #expect(wire.send([7])) }
        for wire in wires {
            #expect(wire.receive(1) == [7])
            let count = listener.queue.sync { listener.connections.count }
            #expect(count <= 3)
            wire.close()
        }
        #expect(counters(listener).accepted == 20)
        #expect(counters(listener).pausesForLimit >= 1)
        stop(listener)
    }

    @Test("Connections in the backlog are counted")
    func waiting() throws {
        let listener = try makeEchoListener { $0.connectionLimit = 1 }
        let wires = (0..<5).map { _ in Wire.connect(to: listener.port) }
        for wire in wires { #expect(wire.send([7])) }
        #expect(wires[0].receive(1) == [7])
        #expect(poll { counters(listener).waiting == 4 })
        #expect(counters(listener).accepted == 1)
        stop(listener)
    }

    @Test("A peer beyond its limit is reset at once, and others are served")
    func perPeer() throws {
        let listener = try makeEchoListener { $0.connectionLimitPerPeer = 2 }
        let first = (0..<2).map { _ in Wire.connect(to: listener.port) }
        for wire in first {
            #expect(wire.echoes([1]))
        }
        let refused = Wire.connect(to: listener.port)
        #expect(refused.receiveEnd() == ECONNRESET)
        #expect(counters(listener).refusedPerPeer == 1)
        let other = Connector { $0.localEndpoint = .ipv4(IPv4Address(127, 0, 0, 77), port: 0) }
        try other.expectEcho(from: listener.endpoint)
        // A close makes room for another connection of the same peer.
        first[0].close()
        #expect(poll { listener.queue.sync { listener.connections.count } == 1 })
        let next = Wire.connect(to: listener.port)
        #expect(next.echoes([3]))
        next.close()
        first[1].close()
        #expect(poll { listener.queue.sync { listener.confined.peers.isEmpty } })
        stop(listener)
    }

    @Test("Connections that are refused because of their peer do not count for the rate")
    func perPeerAndRate() throws {
        let listener = try makeEchoListener {
            $0.acceptRate = AcceptRate(connectionsPerSecond: 0.001, burst: 3)
            $0.connectionLimitPerPeer = 1
        }
        let first = Wire.connect(to: listener.port)
        #expect(first.echoes([1]))
        for _ in 0..<5 { #expect(Wire.connect(to: listener.port).receiveEnd() == ECONNRESET) }
        let other = Connector { $0.localEndpoint = .ipv4(IPv4Address(127, 0, 0, 77), port: 0) }
        try other.expectEcho(from: listener.endpoint)
        #expect(counters(listener).refusedPerPeer == 5)
        stop(listener)
    }

    @Test("A connection that is released before its activation makes room for others")
    func droppedLater() throws {
        let kept = Watched<[Connection]>([])
        var listener: Listener? = try Listener(.ipv4(.loopback, port: 0)) {
            $0.connectionLimit = 1
            $0.connectionLimitPerPeer = 1
        }
        weak let released = listener
        let port = try #require(listener).port
        listener?.setConnectionHandler { kept.append($0) }
        listener?.activate()
        for _ in 0..<3 {
            let wire = Wire.connect(to: port)
            expectEventually(kept) { $0.count == 1 }
            kept.update { $0 = [] }
            #expect(wire.receiveEnd() == 0)
        }
        #expect(poll { listener.map { counters($0).closed } == 3 })
        #expect(listener?.queue.sync { released?.confined.peers.isEmpty } == true)
        let wire = Wire.connect(to: port)
        expectEventually(kept) { $0.count == 1 }
        let report = listener.map { shutdown($0, after: .seconds(1000)) }
        listener = nil
        kept.update { $0 = [] }
        #expect(wire.receiveEnd() == 0)
        #expect(report?.wait()?.drained == 1)
        #expect(poll { released == nil })
    }

    @Test("IPv6 addresses with one prefix are one peer, and mapped ones count as IPv4")
    func peerKeys() throws {
        func key(_ address: String) throws -> IPAddress { try IPAddress(address).asPeer }
        #expect(try key("2001:db8::1") == key("2001:db8::ffff:1"))
        #expect(try key("2001:db8::1") != key("2001:db8:0:1::1"))
        #expect(try key("::ffff:192.0.2.1") == key("192.0.2.1"))
        #expect(try key("192.0.2.2") != key("192.0.2.1"))
    }

    @Test("A token bucket gives out its burst, and then one token at a time")
    func bucket() {
        let rate = AcceptRate(connectionsPerSecond: 10, burst: 3)
        var bucket = TokenBucket(rate, now: 1000)
        for _ in 0..<2 {
            bucket.take(now: 1000)
            #expect(bucket.wait(now: 1000) == 0)
        }
        bucket.take(now: 1000)
        #expect(bucket.wait(now: 1000) == 100_000_000)
        #expect(bucket.wait(now: 50_001_000) == 50_000_000)
        #expect(bucket.wait(now: 100_001_000) == 0)
        bucket.take(now: 100_001_000)
        // It saves no more than the burst.
        for _ in 0..<3 {
            #expect(bucket.wait(now: 1_000_000_000_000) == 0)
            bucket.take(now: 1_000_000_000_000)
        }
        #expect(bucket.wait(now: 1_000_000_000_000) > 0)
    }

    @Test("With many tokens a second nobody waits for each of them")
    func fastBucket() {
        var bucket = TokenBucket(
            AcceptRate(connectionsPerSecond: 100_000, burst: 1000), now: 0)
        for _ in 0..<1000 { bucket.take(now: 0) }
        #expect(bucket.wait(now: 0) == 1_000_000)
    }

    @Test("Above the rate connections wait in the backlog, and are served later")
    func rate() throws {
        let start = DispatchTime.now()
        let listener = try makeEchoListener {
            $0.acceptRate = AcceptRate(connectionsPerSecond: 2, burst: 10)
        }
        let wires = connect(12, to: listener)
        for wire in wires { #expect(wire.send([7])) }
        for wire in wires { #expect(wire.receive(1) == [7]) }
        let end = DispatchTime.now()
        // Two tokens were needed first, 500 ms each: no machine is as slow as that.
        let milliseconds = (end.uptimeNanoseconds - start.uptimeNanoseconds) / 1_000_000
        #expect(milliseconds >= 999)
        #expect(counters(listener).pausesForRate >= 1)
        #expect(counters(listener).accepted == 12)
        stop(listener)
    }

    /// Connects while the listener cannot accept: it then accepts faster than its rate, however
    /// slow the machine is.
    private func connect(_ count: Int, to listener: Listener) -> [Wire] {
        let isConnected = DispatchSemaphore(value: 0)
        listener.queue.async { isConnected.wait() }
        defer { isConnected.signal() }
        return (0..<count).map { _ in Wire.connect(to: listener.port) }
    }

    @Test("A rate and a limit apply together")
    func rateAndLimit() throws {
        let start = DispatchTime.now()
        let listener = try makeEchoListener {
            $0.acceptRate = AcceptRate(connectionsPerSecond: 20, burst: 2)
            $0.connectionLimit = 2
        }
        let wires = connect(10, to: listener)
        for wire in wires { #expect(wire.send([7])) }
        #expect(poll { counters(listener).pausesForLimit >= 1 })
        for wire in wires {
            #expect(wire.receive(1) == [7])
            #expect(listener.queue.sync { listener.connections.count } <= 2)
            wire.close()
        }
        // Eight tokens were needed first, 50 ms each.
        #expect(DispatchTime.now() >= start + .milliseconds(399))
        #expect(counters(listener).pausesForRate >= 1)
        stop(listener)
    }

    @Test("A paused listener can be closed")
    func stopWhilePaused() throws {
        for limit in [0, 1] {
            let listener = try makeEchoListener {
                $0.connectionLimit = limit
                $0.acceptRate = AcceptRate(connectionsPerSecond: 0.001, burst: 1)
            }
            let wires = (0..<3).map { _ in Wire.connect(to: listener.port) }
            #expect(poll { counters(listener).waiting == 3 - limit })
            #expect(counters(listener).accepted == limit)
            stop(listener)
            #expect(wires[2].receiveEnd() == ECONNRESET)
        }
    }
}
