import LoadTesting
import RingNetwork
import Testing

/// How a load reports the faults of servers.
@Suite("Findings", .watchdog)
struct FindingsTests {
    static let messageBytes = 64

    /// A fault of a server, and the expected kind of error.
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let kind: ErrorCounts.Kind
        /// The stall time-out. Long, except for faults that cause a stall, so that a busy machine
        /// adds no error.
        var stallMilliseconds: UInt64 = 20_000
        let answer: @Sendable (Connection, [UInt8]) -> Void

        var testDescription: String { name }
    }

    static let faults = [
        Fault(name: "wrong bytes", kind: .mismatch) { connection, bytes in
            var bytes = bytes
            bytes[bytes.count / 2] ^= 1
            connection.send(bytes)
        },
        Fault(name: "messages swapped", kind: .reorder) { connection, bytes in
            let messages = bytes.pieces(of: messageBytes)
            connection.send(Array(messages.reversed().joined()))
        },
        Fault(name: "a message is sent twice", kind: .duplicate) { connection, bytes in
            connection.send(Array(bytes.prefix(messageBytes)) + bytes)
        },
        Fault(name: "a message lacks its end", kind: .truncation) { connection, bytes in
            connection.send(Array(bytes.prefix(messageBytes - 10) + bytes.dropFirst(messageBytes)))
        },
        Fault(name: "the last message lacks its end", kind: .truncation, stallMilliseconds: 2000) {
            $0.send(Array($1.dropLast(10)))
        },
        Fault(name: "closes in the middle of a message", kind: .truncation) { connection, bytes in
            connection.send(Array(bytes.prefix(messageBytes - 10)))
            connection.close()
        },
        Fault(name: "closes", kind: .closedByServer) { connection, _ in connection.close() },
        Fault(name: "resets", kind: .reset) { connection, _ in connection.abort() },
        Fault(name: "says nothing", kind: .stalled, stallMilliseconds: 150) { _, _ in },
    ]

    @Test("each fault of a server is counted as its kind", arguments: faults)
    func fault(fault: Fault) throws {
        let server = try TestServer.answering(fault.answer)
        var plan = try shortPlan(server.endpoint)
        plan.connections = 1
        plan.pipeline = 4
        plan.stallNanoseconds = fault.stallMilliseconds * 1_000_000
        let report = try runLoad(plan)
        #expect(report.errors.total == 1, "\(report.errors.text)")
        #expect(report.errors.count(fault.kind) == 1, "\(report.errors.text)")
        #expect(report.hasFailed)
        #expect(report.errors.first?.isEmpty == false)
    }

    @Test("a refused connection is a failure that asks whether the server runs")
    func refused() throws {
        let plan = try shortPlan(.ipv4(.loopback, port: 1))
        let failure = #expect(throws: LoadFailure.self) { try runLoad(plan) }
        #expect(failure?.kind == .failed)
        #expect(failure?.description.contains("connection refused: is the server running") == true)
        #expect(failure?.description.contains("127.0.0.1:1") == true)
    }

    @Test("lost, duplicated and modified datagrams are counted, and the socket continues")
    func datagrams() throws {
        let server = try DatagramSocket(.ipv4(.loopback, port: 0))
        nonisolated(unsafe) var number = 0
        server.setReceiveHandler { socket, batch in
            batch.forEach { datagram, span in
                number += 1
                var bytes = span.withUnsafeBytes { Array($0) }
                switch number % 40 {
                case 10: return
                case 20: bytes[40] ^= 1
                case 30: socket.reply(bytes, along: datagram.returnPath)
                default: break
                }
                socket.reply(bytes, along: datagram.returnPath)
            }
        }
        server.activate()
        defer { server.close() }
        var plan = try shortPlan(try #require(server.localEndpoint), scheme: "udp")
        plan.connections = 1
        plan.shards = 1
        plan.schedule = .constant(perSecond: 1000)
        plan.pipeline = 256
        plan.stallNanoseconds = 300_000_000
        let report = try runLoad(plan)
        #expect(report.errors.count(.duplicate) >= 1, "\(report.errors.text)")
        #expect(report.errors.count(.mismatch) >= 1, "\(report.errors.text)")
        #expect(report.errors.count(.stalled) >= 1, "\(report.errors.text)")
        #expect(report.measurement.messages > 100, "\(report.text)")
        #expect(report.percentile(100) >= 300_000_000, "\(report.text)")
    }
}

extension Array {
    fileprivate func pieces(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map {
            self[$0..<Swift.min($0 + count, self.count)]
        }
    }
}
