import Glibc
import RingDispatch
import Testing

/// In a child process, because the children that it spawns inherit descriptors.
@Suite("Descriptors that are closed, and opened again as others", .watchdog, .serialized)
struct GenerationTests {
    @Test("59. No event and no byte reaches the source of another descriptor with the same number")
    func sources() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let counts = ChurnCounts()
            let haveEnded = churnGenerations { generation, _, generator in
                live(generation, counts, &generator)
                // What arrives for the old file has no receiver.
                generation.send(times: 2)
            }
            #expect(haveEnded)
            #expect(counts.foreign.value == 0, "bytes of another generation")
            #expect(counts.late.value == 0, "event handlers after their cancel handlers")
            #expect(counts.empty.value == 0, "events of another generation")
        }
    }
}

private final class ChurnCounts: Sendable {
    /// Bytes of another generation.
    let foreign = Watched(0)
    /// Event handlers after their cancel handlers.
    let late = Watched(0)
    /// Event handlers that found nothing to read.
    let empty = Watched(0)
}

/// The life of one source, up to its cancel handler, which closes the descriptor.
private func live(
    _ generation: Generation, _ counts: ChurnCounts, _ generator: inout SeededGenerator
) {
    let received = Watched(0)
    let isCancelled = Unguarded(false)
    let near = generation.near
    let source = DispatchSource.makeReadSource(
        fileDescriptor: near, queue: DispatchQueue(label: "generation"))
    source.setEventHandler {
        if isCancelled.value { counts.late.increment() }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(near, &bytes, bytes.count)
        if count < 0 { counts.empty.increment() }
        guard count > 0 else { return }
        let times = bytes.withUnsafeBytes { generation.count(in: .init(rebasing: $0[..<count])) }
        if let times { received.increment(by: times) } else { counts.foreign.increment() }
    }
    let cancelled = Gate()
    source.setCancelHandler {
        isCancelled.value = true
        close(near)
        cancelled.open()
    }
    let isEarly = Bool.random(using: &generator)
    if isEarly { generation.send(times: 1) }
    source.activate()
    if !isEarly { generation.send(times: 1) }
    generation.send(times: 3)
    // In half of the rounds the cancellation meets the events.
    if Bool.random(using: &generator) { expectEventually(received) { $0 == 4 } }
    if Bool.random(using: &generator) { generation.endOutput() }
    source.cancel()
    expectOpens(cancelled)
}
