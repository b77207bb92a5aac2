import Glibc
import Synchronization

@testable import RingDispatch
@testable import RingNetwork

/// Watches what happens to a connection during its sends, and between them. On its queue.
struct SendProbe {
    enum Stay: CaseIterable {
        case sleeps
        case computes
        case waits

        static func random(using random: inout SeededGenerator) -> Stay {
            allCases.randomElement(using: &random)!
        }
    }

    private let coverage: Watched<SendCoverage>
    /// Only events of the peer make handlers run: on another loop after a steal only.
    private let mayCountSteals: Bool
    private var handlers = 0
    private var last: Moment?
    /// How many bytes the kernel had when a short send was counted last.
    private var lastShort: UInt64 = .max

    /// What holds after a send, or before one.
    private struct Moment {
        let handler: Int
        /// The loop of the worker; nil: it has none any longer.
        let loop: Int?
        let steals: Int
        /// Bytes that the kernel has. Those of a batch count until they are found unsent.
        let taken: UInt64
        let unsent: Int
        /// Bytes of the last send are in the loop's batch.
        let isBatched: Bool

        init(_ connection: Connection, handler: Int) {
            self.handler = handler
            let context = Context.current
            loop = context.holdsLoop ? context.pointee.loop?.index : nil
            steals = Runtime.shared.pool.counters.steals.load(ordering: .relaxed)
            taken = connection.counters.bytesSent.value
            unsent = connection.unsent
            let batch = connection.stream.confined.batch
            isBatched = batch?._withUnsafeGuaranteedRef { $0.isEmpty } == false
        }

        /// Whether bytes that were unsent at that time still are.
        func leavesUnsent(_ now: Moment) -> Bool {
            unsent > 0 && now.taken < taken + UInt64(unsent)
        }
    }

    init(_ coverage: Watched<SendCoverage>, mayCountSteals: Bool) {
        self.coverage = coverage
        self.mayCountSteals = mayCountSteals
    }

    /// Of all connections of the process.
    static var shortBatchedSends: Int {
        Runtime.shared.pool.loops.reduce(0) { count, loop in
            count + (loop.sendBatch?.takeUnretainedValue().shortSends.load(ordering: .relaxed) ?? 0)
        }
    }

    mutating func beginHandler() { handlers += 1 }

    mutating func send(_ count: Int, _ connection: Connection, _ body: () -> Void) {
        let before = Moment(connection, handler: handlers)
        if let last { compare(last, before) }
        noteShortPiece(connection, before)
        body()
        let after = Moment(connection, handler: handlers)
        if before.unsent == 0, !before.isBatched, after.unsent > 0, after.taken > before.taken,
            after.taken - before.taken < UInt64(count)
        {
            noteShort(after)
        }
        noteShortPiece(connection, after)
        last = after
    }

    /// What has happened since the last send.
    private func compare(_ last: Moment, _ now: Moment) {
        guard let loop = last.loop, now.loop != loop else { return }
        let leavesUnsent = last.leavesUnsent(now)
        if now.handler == last.handler {
            guard leavesUnsent || last.isBatched else { return }
            coverage.update { coverage in
                coverage.handOffs += 1
                if last.isBatched { coverage.pendingBatches += 1 }
            }
        } else if now.loop != nil, leavesUnsent, mayCountSteals, now.steals > last.steals {
            coverage.update { $0.steals += 1 }
        }
    }

    /// The kernel has taken the beginning of a piece. (Files are sent in slices in any case.)
    private mutating func noteShortPiece(_ connection: Connection, _ now: Moment) {
        let outgoing = connection.confined.outgoing
        guard !outgoing.isEmpty, outgoing.next.taken > 0 else { return }
        if case .file = outgoing.next.content { return }
        noteShort(now)
    }

    private mutating func noteShort(_ now: Moment) {
        guard now.taken != lastShort else { return }
        lastShort = now.taken
        coverage.update { $0.shortSends += 1 }
    }

    /// Stays until the worker has lost its loop, for a limited time.
    func stay(_ stay: Stay) {
        let context = Context.current
        let end = DispatchTime.now() + .milliseconds(50)
        var mayGoOn: Bool { context.holdsLoop && DispatchTime.now() < end }
        switch stay {
        case .sleeps: repeat { usleep(300) } while mayGoOn
        case .computes: while mayGoOn {}
        case .waits: _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1))
        }
    }
}
