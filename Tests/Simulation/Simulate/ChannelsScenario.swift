internal import CSimulation
internal import Glibc
internal import RingDispatch

/// Channels at both ends of pipes and socket pairs, which are closed, stopped and released at any
/// moment. Some peers stay silent.
final class ChannelsScenario: @unchecked Sendable {
    private var finished = 0

    func run() {
        let pairs = (0..<random(1...3)).map { _ in ChannelPair() }
        for end in pairs.flatMap(\.ends) {
            startThread { [self] in
                end.run()
                finished += 1
            }
        }
        wait(seconds: 200, until: { finished == 2 * pairs.count }, "all ends")
        for pair in pairs { pair.check() }
        wait(
            seconds: 5,
            until: {
                let snapshot = DispatchRuntime.snapshot()
                return snapshot.channels == 0 && snapshot.channelOperations == 0
            }, "no channels and no operations")
    }
}
