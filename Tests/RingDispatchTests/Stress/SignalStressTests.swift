import Glibc
import RingDispatch
import Testing

@Suite("Signal and process sources under stress", .watchdog, .serialized)
struct SignalStressTests {
    /// What several threads have done, and the counts of it.
    private struct Outcome {
        /// What a source that was there from before the first signal until after the last counted.
        var observed: UInt
        /// What the program's own handler counted.
        var handled: Int
        /// The most that any source counted that was made and cancelled meanwhile.
        var most: UInt
    }

    private static let senders = 3
    private static let signalsPerSender = 2000

    /// Signals come while sources are suspended, resumed, made and cancelled.
    private func run(_ signal: Int32, send: @escaping @Sendable (Int32) -> Void) -> Outcome {
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
        for thread in senders { #expect(thread.join(seconds: 150)) }
        isOver.update { $0 = true }
        for thread in others { #expect(thread.join()) }
        // A delivery that a sender caused may still be on its way in another thread.
        expectEventually(observer.seen) { seen in
            seen.reduce(0, +) == UInt(OwnHandler.calls(signal))
        }
        let outcome = Outcome(
            observed: observer.total, handled: OwnHandler.calls(signal), most: most.value)
        observer.end()
        return outcome
    }

    @Test("Each one of a real-time signal counts once, and is handled once")
    func queued() {
        let outcome = run(TestSignal.queued(24)) { sendQueued($0) }
        let sent = Self.senders * Self.signalsPerSender
        #expect(outcome.observed == UInt(sent))
        #expect(outcome.handled == sent)
        #expect(outcome.most <= UInt(sent))
    }

    @Test("Signals that merge count as often as the program's handler is called")
    func merged() {
        let outcome = run(SIGWINCH) { kill(getpid(), $0) }
        #expect(outcome.observed == UInt(outcome.handled))
        #expect(outcome.observed >= 1)
        #expect(outcome.observed <= UInt(Self.senders * Self.signalsPerSender))
    }

    @Test("Signals to a thread of one's own are all told apart")
    func raised() {
        let outcome = run(SIGPROF) { raise($0) }
        #expect(outcome.observed == UInt(Self.senders * Self.signalsPerSender))
        #expect(outcome.handled == Self.senders * Self.signalsPerSender)
    }

    @Test("Without a handler of the program's, too, each real-time signal counts once")
    func withoutHandler() {
        let signal = TestSignal.queued(25)
        // Between two sources nothing else may happen to it.
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
        for thread in senders { #expect(thread.join(seconds: 150)) }
        observer.expect(UInt(Self.senders * Self.signalsPerSender))
        isOver.update { $0 = true }
        #expect(churn.join())
        observer.end()
        #expect(observer.total == UInt(Self.senders * Self.signalsPerSender))
    }

    @Test("A delivery that comes while another one is collected is not missed")
    func pairs() {
        let signal = TestSignal.queued(27)
        let probe = SignalProbe(signal, on: DispatchQueue(label: "stress.pairs"))
        let threads = (0..<2).map { _ in
            UserThread {
                blockNothing()
                for round: UInt in 1...1000 {
                    raise(signal)
                    let isComplete = probe.seen.wait(seconds: Patience.seconds) {
                        $0.reduce(0, +) >= 2 * round
                    }
                    guard isComplete else { return }
                }
            }
        }
        for thread in threads { #expect(thread.join(seconds: 150)) }
        probe.expect(2000)
        probe.end()
    }

    @Test("A signal's only source may come and go while signals come")
    func lastSource() {
        let signal = TestSignal.queued(26)
        OwnHandler.install(signal, flags: SA_RESTART)
        let before = handlerAddress(of: signal)
        let sender = UserThread {
            blockNothing()
            for _ in 0..<2000 { sendQueued(signal) }
        }
        var told: UInt = 0
        while !sender.isFinished {
            let probe = SignalProbe(signal, on: DispatchQueue(label: "stress.short"))
            sched_yield()
            probe.end()
            told += probe.total
        }
        #expect(sender.join())
        #expect(told <= 2000)
        expectSoon("each was handled") { OwnHandler.calls(signal) == 2000 }
        #expect(handlerAddress(of: signal) == before)
    }

    @Test("Children that end while their sources are made and cancelled are each told, or not")
    func processes() {
        let threads = (0..<3).map { thread in
            UserThread {
                for round in 0..<25 { endWhileCancelling(code: Int32(round), thread: thread) }
            }
        }
        for thread in threads { #expect(thread.join(seconds: 150)) }
    }

    private func endWhileCancelling(code: Int32, thread: Int) {
        let queue = DispatchQueue(label: "stress.process.\(thread)")
        let child = Child("read line; exit \(code)")
        let told = Watched<[DispatchSource.ProcessExitStatus?]>([])
        let ended = Watched(0)
        let sources = (0..<4).map { index in
            let source = DispatchSource.makeProcessSource(
                identifier: child.identifier, eventMask: .exit, queue: queue)
            source.setEventHandler { if index < 2 { told.append(source.exitStatus) } }
            source.setCancelHandler { ended.increment() }
            source.activate()
            return source
        }
        child.closeInput()
        sources[2].cancel()
        sources[3].cancel()
        expectEventually(told) { $0 == [.exited(code: code), .exited(code: code)] }
        child.reap()
        for source in sources { source.cancel() }
        expectEventually(ended) { $0 == 4 }
    }
}
