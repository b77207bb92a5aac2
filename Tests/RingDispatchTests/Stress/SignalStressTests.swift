import Glibc
import RingDispatch
import Testing

@Suite("Signal and process sources under stress", .watchdog, .serialized)
struct SignalStressTests {
    private static let senders = 3
    private static let signalsPerSender = 2000

    /// Signals arrive while sources are suspended, resumed, created and cancelled. A permanent
    /// source must count the same deliveries as the program's own handler: all signals, if they do
    /// not merge.
    private func run(
        _ signal: Int32, areKeptApart: Bool, send: @escaping @Sendable (Int32) -> Void
    ) {
        OwnHandler.install(signal, flags: SA_RESTART)
        let observer = SignalProbe(signal, on: DispatchQueue(label: "stress.signal"))
        let isOver = Watched(false)
        let most = Watched<UInt>(0)
        let others = [
            UserThread {
                while !isOver.value {
                    observer.source.suspend()
                    sched_yield()
                    observer.source.resume()
                    sched_yield()
                }
            },
            UserThread {
                while !isOver.value {
                    let probe = SignalProbe(signal, on: DispatchQueue(label: "stress.short"))
                    sched_yield()
                    probe.end()
                    most.update { $0 = max($0, probe.total) }
                }
            },
        ]
        let senders = (0..<Self.senders).map { _ in
            UserThread {
                blockNothing()
                for _ in 0..<Self.signalsPerSender { send(signal) }
            }
        }
        for thread in senders { #expect(thread.join(seconds: Patience.joinSeconds)) }
        isOver.update { $0 = true }
        for thread in others { #expect(thread.join()) }
        // Another thread may still process the last signal.
        let sent = Self.senders * Self.signalsPerSender
        if areKeptApart { expectSoon("all are handled") { OwnHandler.calls(signal) == sent } }
        expectSoon("all that are handled are counted") {
            observer.total == UInt(OwnHandler.calls(signal))
        }
        #expect(observer.total >= 1)
        observer.end()
        #expect(observer.total <= UInt(sent))
        #expect(most.value <= UInt(sent))
    }

    @Test("Each one of a real-time signal counts once, and is handled once")
    func queued() {
        run(TestSignal.queued(24), areKeptApart: TestSignal.areKeptApart) { sendQueued($0) }
    }

    @Test("Signals that merge count as often as the program's handler is called")
    func merged() {
        run(SIGWINCH, areKeptApart: false) { kill(getpid(), $0) }
    }

    @Test("Signals to a single thread are all kept apart")
    func raised() {
        run(SIGPROF, areKeptApart: true) { raise($0) }
    }

    @Test(
        "Without a handler of the program's, too, each real-time signal counts once",
        .enabled(if: TestSignal.areKeptApart))
    func withoutHandler() {
        let signal = TestSignal.queued(25)
        // The signal must not change state between two sources.
        Glibc.signal(signal, SIG_IGN)
        let observer = SignalProbe(signal, on: DispatchQueue(label: "stress.signal"))
        let isOver = Watched(false)
        let churn = UserThread {
            while !isOver.value {
                let probe = SignalProbe(signal, on: DispatchQueue(label: "stress.short"))
                probe.end()
            }
        }
        let senders = (0..<Self.senders).map { _ in
            UserThread { for _ in 0..<Self.signalsPerSender { sendQueued(signal) } }
        }
        for thread in senders { #expect(thread.join(seconds: Patience.joinSeconds)) }
        observer.expect(UInt(Self.senders * Self.signalsPerSender))
        isOver.update { $0 = true }
        #expect(churn.join())
        observer.end()
        #expect(observer.total == UInt(Self.senders * Self.signalsPerSender))
    }

    @Test("A delivery that arrives while another one is collected is not missed")
    func pairs() {
        let signal = TestSignal.queued(27)
        let probe = SignalProbe(signal, on: DispatchQueue(label: "stress.pairs"))
        onThreads(2, seconds: Patience.joinSeconds) { _ in
            blockNothing()
            for round: UInt in 1...1000 {
                raise(signal)
                let isComplete = probe.seen.wait(seconds: Patience.seconds) {
                    $0.reduce(0, +) >= 2 * round
                }
                guard isComplete else { return }
            }
        }
        probe.expect(2000)
        probe.end()
    }

    @Test("A signal's only source may be created and cancelled while signals arrive")
    func lastSource() {
        let signal = TestSignal.queued(26)
        OwnHandler.install(signal, flags: SA_RESTART)
        let before = handlerAddress(of: signal)
        let sender = UserThread {
            blockNothing()
            for _ in 0..<2000 { sendQueued(signal) }
        }
        var reported: UInt = 0
        while !sender.isFinished {
            let probe = SignalProbe(signal, on: DispatchQueue(label: "stress.short"))
            sched_yield()
            probe.end()
            reported += probe.total
        }
        #expect(sender.join())
        #expect(reported <= 2000)
        if TestSignal.areKeptApart {
            expectSoon("each was handled") { OwnHandler.calls(signal) == 2000 }
        }
        #expect(handlerAddress(of: signal) == before)
    }

    @Test("Children end while their sources are made and cancelled: reported once, or not")
    func processes() {
        onThreads(3, seconds: Patience.joinSeconds) { thread in
            for round in 0..<25 { endWhileCancelling(code: Int32(round), thread: thread) }
        }
    }

    private func endWhileCancelling(code: Int32, thread: Int) {
        let queue = DispatchQueue(label: "stress.process.\(thread)")
        let child = Child("read line; exit \(code)")
        let reported = Watched<[DispatchSource.ProcessExitStatus?]>([])
        let ended = Watched(0)
        let sources = (0..<4).map { index in
            let source = DispatchSource.makeProcessSource(
                identifier: child.identifier, eventMask: .exit, queue: queue)
            source.setEventHandler { if index < 2 { reported.append(source.exitStatus) } }
            source.setCancelHandler { ended.increment() }
            source.activate()
            return source
        }
        child.closeInput()
        sources[2].cancel()
        sources[3].cancel()
        expectEventually(reported) { $0 == [.exited(code: code), .exited(code: code)] }
        child.reap()
        for source in sources { source.cancel() }
        expectEventually(ended) { $0 == 4 }
    }
}
