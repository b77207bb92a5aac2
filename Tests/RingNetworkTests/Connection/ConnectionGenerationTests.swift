import Glibc
import RingDispatch
import RingNetwork
import Testing

/// In a child process, because the children that it spawns inherit descriptors.
@Suite("Connections whose descriptors were others before", .watchdog, .serialized)
struct ConnectionGenerationTests {
    @Test("A connection gets its own bytes and its own end, whatever happens to earlier ones")
    func churn() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let mistakes = Watched<[String]>([])
            let haveEnded = churnGenerations { generation, round, _ in
                let mistake = live(generation, Ending.allCases[round % 3])
                if let mistake { mistakes.append(mistake) }
                // What arrives for the old file has no receiver.
                generation.send(times: 2)
                generation.endOutput()
            }
            #expect(haveEnded)
            #expect(mistakes.value == [])
        }
    }
}

private enum Ending: CaseIterable {
    case byPeer
    case byClose
    case byAbort

    var reason: CloseReason {
        switch self {
        case .byPeer: .ended
        case .byClose: .closed
        case .byAbort: .aborted
        }
    }
}

/// The life of one connection.
/// - Returns: what was wrong with it.
private func live(_ generation: Generation, _ ending: Ending) -> String? {
    let connection = Connection(adopting: generation.near)
    struct Record {
        var times = 0
        var isForeign = false
        var isClosed = false
        var isLate = false
    }
    let record = Watched(Record())
    let closed = Outcome<CloseReason>()
    connection.setReceiveHandler { _, span in
        let times = span.withUnsafeBytes { generation.count(in: $0) }
        record.update { record in
            if record.isClosed { record.isLate = true }
            if let times { record.times += times } else { record.isForeign = true }
        }
    }
    connection.setCloseHandler { _, reason in
        record.update { $0.isClosed = true }
        closed.set(reason)
    }
    generation.send(times: 1)
    connection.activate()
    generation.send(times: 3)
    switch ending {
    case .byPeer: generation.endOutput()
    case .byClose: connection.close()
    case .byAbort: connection.abort()
    }
    let reason = closed.wait()
    if reason != ending.reason { return "\(ending): \(String(describing: reason))" }
    return connection.queue.sync {
        let record = record.value
        if record.isForeign { return "bytes of another connection" }
        if record.isLate { return "bytes after the close handler" }
        if ending == .byPeer && record.times != 4 { return "\(record.times) of 4 messages" }
        return nil
    }
}
