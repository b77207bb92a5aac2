import Glibc
import RingDispatch
import Testing

@Suite("DispatchRuntime.snapshot", .watchdog)
struct SnapshotTests {
    @Test("It names the back end and has as many ordinary event loops as are configured")
    func loops() async {
        let snapshot = DispatchRuntime.snapshot()
        #expect(["io_uring", "epoll"].contains(snapshot.backend))
        #expect(!snapshot.backendReason.isEmpty)
        let loops = snapshot.loops.filter { !$0.isBackground }
        #expect(!loops.isEmpty)
        #expect(loops.map(\.index) == Array(0..<loops.count))
        #expect(snapshot.idleWorkers <= snapshot.workers)
        #expect(snapshot.workers <= 2 * snapshot.workerLimit)
        #expect(snapshot.description.contains(snapshot.backend))
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "3", 1)
            let loops = DispatchRuntime.snapshot().loops.filter { !$0.isBackground }
            #expect(loops.map(\.index) == [0, 1, 2])
        }
    }

    @Test("It shows a handler that runs, with its thread")
    func running() {
        // Another worker takes the loop over soon, and then no loop has the thread: a handler that
        // was shown too late is followed by another one.
        let isShown = poll {
            let entered = Watched<Int32>(0)
            let gate = Gate()
            DispatchQueue(label: "snapshot").async {
                entered.update { $0 = currentThreadIdentifier() }
                // Spins: a wait would hand off the loop.
                while !gate.wasOpened {}
            }
            defer { gate.open() }
            expectEventually(entered) { $0 != 0 }
            let loop = DispatchRuntime.snapshot().loops.first { $0.thread == entered.value }
            guard let loop else { return false }
            #expect(loop.activity == .running)
            return true
        }
        #expect(isShown, "no snapshot showed the handler's thread")
    }

    @Test("It counts existing objects only")
    func counts() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "snapshot")
            var pair: [Int32] = [-1, -1]
            #expect(socketpair(AF_UNIX, streamKind, 0, &pair) == 0)
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + .seconds(600))
            timer.start {}
            let reader = DispatchSource.makeReadSource(fileDescriptor: pair[0], queue: queue)
            reader.setEventHandler {}
            let (timerGone, readerGone) = (watchCancel(of: timer), watchCancel(of: reader))
            reader.activate()
            let item = queue.scheduleAfter(deadline: .now() + .seconds(600)) {}
            let settled = expectSnapshot { $0.timers == 2 && $0.registrations == 1 }
            #expect(settled.sources == 2)
            item.cancel()
            timer.cancel()
            reader.cancel()
            expectOpens(timerGone)
            expectOpens(readerGone)
            _ = expectSnapshot { $0.timers == 0 && $0.registrations == 0 && $0.operations == 0 }
        }
    }

    @Test("It counts channels, and the operations that they have to do")
    func channels() async {
        await #expect(processExitsWith: .success) {
            let pair = Channel(.socketPair)
            let queue = DispatchQueue(label: "snapshot.channel")
            let channel = DispatchIO(
                type: .stream, fileDescriptor: pair.near, queue: queue, cleanupHandler: { _ in })
            channel.read(offset: 0, length: 1, queue: queue) { _, _, _ in }
            let waiting = expectSnapshot { $0.channelOperations == 1 }
            #expect(waiting.channels == 1)
            channel.close(flags: .stop)
            _ = expectSnapshot { $0.channelOperations == 0 }
        }
    }
}

/// Takes snapshots until one is as expected.
private func expectSnapshot(
    _ condition: @Sendable @escaping (DispatchRuntime.Snapshot) -> Bool
) -> DispatchRuntime.Snapshot {
    let deadline = DispatchTime.now() + .seconds(Patience.seconds)
    while true {
        let snapshot = DispatchRuntime.snapshot()
        if condition(snapshot) { return snapshot }
        guard DispatchTime.now() < deadline else {
            Issue.record("never as expected: \(snapshot)")
            return snapshot
        }
        letTimePass(milliseconds: 1)
    }
}
