import Glibc
import RingDispatch
import Synchronization
import Testing

/// A handler occupies its loop for long; everything else on the loop continues.
@Suite("Handlers that keep an event loop, under stress", .watchdog, .serialized)
struct LoopStateStressTests {
    enum Hindrance: CaseIterable, Sendable {
        case sleeps
        case computes
        case waitsForSemaphore
        case waitsInSync
    }

    /// A flag to poll in a loop, without a lock.
    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    /// Bytes bounce over socket pairs while handlers block; as many pairs as handlers.
    private final class Traffic: Sendable {
        let echoed = Watched(0)
        private let channels: [Channel]

        init(connections: Int) {
            channels = (0..<connections).map { _ in Channel(.socketPair) }
            for (number, channel) in channels.enumerated() {
                bounce(channel.near, DispatchQueue(label: "loop-state.near.\(number)"))
                bounce(channel.far, DispatchQueue(label: "loop-state.far.\(number)"))
                var byte: UInt8 = 1
                _ = write(channel.near, &byte, 1)
            }
        }

        private func bounce(_ descriptor: Int32, _ queue: DispatchQueue) {
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.start { [echoed, channels] in
                _ = channels
                var byte: UInt8 = 0
                let count = read(descriptor, &byte, 1)
                if count == 1 {
                    _ = send(descriptor, &byte, 1, Int32(MSG_NOSIGNAL))
                    echoed.increment()
                } else if count == 0 || errno != EAGAIN {
                    source.cancel()
                }
            }
        }

        /// The near ends are shut down, so that all sources come to their end.
        func stop() {
            for channel in channels { shutdown(channel.near, Int32(SHUT_RDWR)) }
        }
    }

    @Test(
        "Traffic goes on beside handlers that keep their event loops", arguments: Hindrance.allCases
    )
    func trafficGoesOn(_ hindrance: Hindrance) {
        let traffic = Traffic(connections: 8)
        defer { traffic.stop() }
        let leave = Gate()
        let mayLeave = Flag()
        let release = DispatchSemaphore(value: 0)
        let owned = DispatchQueue(label: "loop-state.owned")
        let inside = Watched(0)
        let left = Watched(0)
        if hindrance == .waitsInSync { owned.suspend() }
        // More than there are loops, whatever the number of loops.
        let count = 12
        for number in 0..<count {
            DispatchQueue(label: "loop-state.hindrance.\(number)").async {
                inside.increment()
                switch hindrance {
                case .sleeps: leave.pass()
                case .computes: while !mayLeave.isSet {}
                case .waitsForSemaphore: release.wait()
                case .waitsInSync: owned.sync {}
                }
                left.increment()
            }
        }
        expectEventually(inside) { $0 == count }
        let before = traffic.echoed.value
        expectEventually(traffic.echoed) { $0 > before + 300 }
        #expect(left.value == 0)
        leave.open()
        mayLeave.set()
        if hindrance == .waitsInSync { owned.resume() }
        for _ in 0..<count { release.signal() }
        expectEventually(left) { $0 == count }
        for _ in 0..<count where hindrance != .waitsForSemaphore { release.wait() }
    }

    @Test("Timers keep firing while every event loop is kept")
    func timersGoOn() {
        let leave = Gate()
        let inside = Watched(0)
        for number in 0..<12 {
            DispatchQueue(label: "loop-state.kept.\(number)").async {
                inside.increment()
                leave.pass()
            }
        }
        expectEventually(inside) { $0 == 12 }
        let ticks = Watched(0)
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "loop-state.timer"))
        timer.schedule(deadline: .now(), repeating: .milliseconds(2))
        timer.start { ticks.increment(by: Int(timer.data)) }
        expectEventually(ticks) { $0 >= 20 }
        timer.cancel()
        leave.open()
    }
}
