import RingDispatch
import Testing

/// Lets objects live one after another, in 8 threads, each with the descriptor of a new pair, while
/// processes are spawned that keep copies of the descriptors. The pairs of earlier objects stay
/// open for a while.
/// - Parameter life: the life of one object, in its round.
/// - Returns: whether the spawned processes ended well.
package func churnGenerations(
    _ life: @escaping @Sendable (Generation, _ round: Int, inout SeededGenerator) -> Void
) -> Bool {
    let children = PassingChildren()
    // On a busy machine a round takes long, and fewer rounds must do.
    let seconds = isDeep ? 60 : 5
    let end = DispatchTime.now() + .seconds(seconds)
    let rounds = isDeep ? 20_000 : 1000
    onThreads(8, seconds: seconds + 2 * Patience.seconds) { thread in
        var generator = SeededGenerator(seed: UInt64(thread))
        var kept: [Generation] = []
        for round in 0..<rounds where .now() < end {
            let generation = Generation(number: thread * rounds + round, using: &generator)
            life(generation, round, &generator)
            kept.append(generation)
            if kept.count > 16 { kept.removeFirst() }
        }
    }
    return children.end()
}
