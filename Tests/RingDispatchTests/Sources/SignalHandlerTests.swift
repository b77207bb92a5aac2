import Glibc
import RingDispatch
import Testing

@Suite("Signal sources and the program's own handlers", .watchdog)
struct SignalHandlerTests {
    private let queue = DispatchQueue(label: "signal.handler")

    @Test("A handler that was installed before runs once a delivery, with the signal's data")
    func information() {
        let signal = TestSignal.queued(10)
        OwnHandler.install(signal, flags: SA_RESTART)
        let before = handlerAddress(of: signal)
        let probe = SignalProbe(signal, on: queue)
        for value: Int32 in 1...10 {
            sendQueued(signal, value: value)
            probe.expect(UInt(value))
            // The source may be notified while the handler is still running.
            expectSoon("value \(value)") { OwnHandler.lastValue(signal) == value }
        }
        expectSoon("ten calls") { OwnHandler.calls(signal) == 10 }
        probe.end()
        #expect(handlerAddress(of: signal) == before)
        deliver(signal)
        #expect(OwnHandler.calls(signal) == 11)
        #expect(probe.total == 10)
    }

    @Test("A handler that receives the number only runs once a delivery")
    func plain() {
        let signal = TestSignal.queued(11)
        OwnHandler.installPlain(signal)
        let before = handlerAddress(of: signal)
        let probe = SignalProbe(signal, on: queue)
        deliver(signal, times: 7)
        probe.expect(7)
        #expect(OwnHandler.calls(signal) == 7)
        probe.end()
        #expect(handlerAddress(of: signal) == before)
    }

    @Test("A handler for one delivery runs once")
    func once() {
        let signal = TestSignal.queued(12)
        OwnHandler.installPlain(signal, flags: Int32(bitPattern: UInt32(SA_RESETHAND)))
        let probe = SignalProbe(signal, on: queue)
        deliver(signal, times: 3)
        probe.expect(3)
        #expect(OwnHandler.calls(signal) == 1)
        probe.end()
        #expect(handlerAddress(of: signal) == 0)
    }

    @Test("The flags and the mask of a handler that was there hold for it")
    func flags() {
        let signal = TestSignal.queued(13)
        OwnHandler.install(signal)
        var action = disposition(of: signal)
        sigaddset(&action.sa_mask, SIGWINCH)
        sigaction(signal, &action, nil)
        let probe = SignalProbe(signal, on: queue)
        var present = disposition(of: signal)
        // A handler without SA_RESTART still interrupts the program's calls.
        #expect(present.sa_flags & SA_RESTART == 0)
        #expect(sigismember(&present.sa_mask, SIGWINCH) == 1)
        probe.end()
    }

    @Test("A handler that is installed while the source is active stays when the source ends")
    func replaced() {
        let signal = TestSignal.queued(14)
        let probe = SignalProbe(signal, on: queue)
        OwnHandler.install(signal)
        let installed = handlerAddress(of: signal)
        deliver(signal)
        #expect(OwnHandler.calls(signal) == 1)
        #expect(probe.total == 0)
        probe.end()
        #expect(handlerAddress(of: signal) == installed)
        deliver(signal)
        #expect(OwnHandler.calls(signal) == 2)
    }

    @Test("A source that is activated after the program has replaced the handler counts again")
    func activatedAgain() {
        let signal = TestSignal.queued(15)
        let first = SignalProbe(signal, on: queue)
        Glibc.signal(signal, SIG_IGN)
        deliver(signal)
        let second = SignalProbe(signal, on: queue)
        deliver(signal)
        first.expect(1)
        second.expect(1)
        first.end()
        second.end()
        #expect(handlerAddress(of: signal) == 1)
    }

    @Test("A handler that calls the source's, and outlives it, is called once by the next source")
    func covered() {
        let signal = TestSignal.queued(16)
        OwnHandler.install(signal)
        for round in 1...3 {
            let probe = SignalProbe(signal, on: queue)
            deliver(signal)
            probe.expect(1)
            #expect(OwnHandler.calls(signal) == round)
            #expect(OwnHandler.passed(signal) == round - 1)
            if round == 1 { OwnHandler.installPassing(signal) }
            probe.end()
            #expect(probe.total == 1)
        }
        deliver(signal)
        #expect(OwnHandler.calls(signal) == 4)
        #expect(OwnHandler.passed(signal) == 3)
    }
}
