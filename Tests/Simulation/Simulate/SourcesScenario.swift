internal import CSimulation
internal import Glibc
internal import RingDispatch

/// Sources of descriptors whose numbers are used again at once.
final class SourcesScenario: @unchecked Sendable {
    // Safety: the simulation runs one thread at a time, here and in the other classes.
    private var finished = 0

    func run() {
        let slots = random(1...4)
        for _ in 0..<slots {
            startThread { [self] in
                runSlot()
                finished += 1
            }
        }
        wait(seconds: 300, until: { finished == slots }, "all slots")
    }

    private func runSlot() {
        var duplicate: Int32 = -1
        var left = random(1...4)
        var next: SourceChannel?
        while left > 0 || next != nil {
            left -= 1
            let channel = next ?? SourceChannel()
            channel.run()
            let old = channel.finish()
            if duplicate >= 0 { close(duplicate) }
            duplicate = old
            next = channel.heir
        }
        if duplicate >= 0 { close(duplicate) }
    }
}
