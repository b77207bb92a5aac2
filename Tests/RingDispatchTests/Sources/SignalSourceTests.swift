import Glibc
import RingDispatch
import Testing

@Suite("Signal sources", .watchdog)
struct SignalSourceTests {
    private let queue = DispatchQueue(label: "signal")

    @Test("63. A delivery runs the handler on the queue, with the count as data")
    func delivery() {
        let probe = SignalProbe(SIGUSR2, on: queue)
        #expect(probe.source.handle == UInt(SIGUSR2))
        #expect(probe.source.mask == 0)
        for count: UInt in 1...3 {
            deliver(SIGUSR2)
            probe.expect(count)
        }
        #expect(probe.seen.value == [1, 1, 1])
        probe.end()
    }

    @Test("63. Five deliveries while it is suspended are one call that says five")
    func suspended() {
        let probe = SignalProbe(SIGURG, on: queue)
        probe.source.suspend()
        deliver(SIGURG, times: 5)
        expectStays(probe.seen, at: [])
        probe.source.resume()
        probe.expect(5)
        #expect(probe.seen.value == [5])
        probe.end()
    }

    @Test("63. A signal that is sent to the process counts, from a block of a queue too")
    func toProcess() {
        let signal = TestSignal.queued(0)
        let probe = SignalProbe(signal, on: queue)
        kill(getpid(), signal)
        probe.expect(1)
        queue.async { kill(getpid(), signal) }
        probe.expect(2)
        let more: UInt = TestSignal.areKeptApart ? 100 : 0
        for _ in 0..<more { sendQueued(signal) }
        probe.expect(2 + more)
        probe.end()
        #expect(probe.total == 2 + more)
    }

    @Test("64. All sources of a signal are notified, and the others stay so when one ends")
    func several() {
        let signal = TestSignal.queued(1)
        let (first, second) = (SignalProbe(signal, on: queue), SignalProbe(signal, on: queue))
        deliver(signal)
        first.expect(1)
        second.expect(1)
        first.end()
        let third = SignalProbe(signal, on: queue)
        deliver(signal)
        second.expect(2)
        third.expect(1)
        #expect(first.total == 1)
        second.end()
        third.end()
    }

    @Test("64. A signal that was ignored before the activation counts, and is ignored afterwards")
    func ignored() {
        let signal = TestSignal.queued(2)
        Glibc.signal(signal, SIG_IGN)
        let probe = SignalProbe(signal, on: queue)
        deliver(signal, times: 2)
        probe.expect(2)
        probe.end()
        #expect(handlerAddress(of: signal) == 1)
        deliver(signal)
    }

    @Test("The registration handler comes first, and deliveries count from then on")
    func registration() {
        let signal = TestSignal.queued(3)
        let probe = SignalProbe(signal, on: queue, activates: false)
        let order = Watched<[String]>([])
        probe.source.setRegistrationHandler {
            order.append("registration")
            kill(getpid(), signal)
        }
        probe.source.setEventHandler { order.append("event") }
        probe.source.activate()
        expectEventually(order) { $0 == ["registration", "event"] }
        probe.end()
    }

    @Test("An active source counts deliveries, however long its queue or itself is suspended")
    func installedAtOnce() {
        let signal = TestSignal.queued(9)
        OwnHandler.install(signal)
        for isQueue in [true, false] {
            let probe = SignalProbe(signal, on: queue, activates: false)
            let order = Watched<[String]>([])
            probe.source.setRegistrationHandler { order.append("registration") }
            probe.source.setEventHandler { order.append("event \(probe.source.data)") }
            if isQueue { queue.suspend() } else { probe.source.suspend() }
            probe.source.activate()
            deliver(signal, times: 2)
            expectStays(order, at: [])
            if isQueue { queue.resume() } else { probe.source.resume() }
            expectEventually(order) { $0 == ["registration", "event 2"] }
            probe.end()
        }
    }

    @Test("No event comes after the cancel, and what was delivered before is dropped")
    func cancel() {
        let signal = TestSignal.queued(4)
        let (probe, other) = (SignalProbe(signal, on: queue), SignalProbe(signal, on: .global()))
        queue.sync {
            deliver(signal)
            other.expect(1)
            probe.source.cancel()
        }
        deliver(signal)
        other.expect(2)
        probe.end()
        #expect(probe.seen.value == [])
        other.end()
    }

    @Test("A source whose last reference goes gives the signal back")
    func abandoned() {
        let signal = TestSignal.queued(5)
        OwnHandler.install(signal)
        let before = handlerAddress(of: signal)
        do {
            let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
            source.start {}
            #expect(handlerAddress(of: signal) != before)
        }
        expectSoon("the earlier handler is back") { handlerAddress(of: signal) == before }
    }

    @Test("A blocking call of the program goes on, with errno as it was")
    func undisturbed() {
        let signal = TestSignal.queued(6)
        let probe = SignalProbe(signal, on: queue)
        let channel = Channel(.socketPair)
        _ = fcntl(channel.near, F_SETFL, 0)
        let reader = Watched<pthread_t?>(nil)
        let result = Watched<Int?>(nil)
        let thread = UserThread {
            blockNothing()
            errno = 1234
            raise(signal)
            #expect(errno == 1234)
            reader.update { $0 = pthread_self() }
            var byte: UInt8 = 0
            let count = read(channel.near, &byte, 1)
            result.update { $0 = count }
        }
        expectEventually(reader) { $0 != nil }
        #expect(thread.waitUntilAsleep())
        for count: UInt in 2...4 {
            pthread_kill(reader.value!, signal)
            probe.expect(count)
        }
        #expect(result.value == nil)
        write(1, to: channel.far)
        expectEventually(result) { $0 == 1 }
        #expect(thread.join())
        probe.end()
    }

    @Test("A child process inherits neither a mask nor a handler")
    func child() {
        let signal = TestSignal.queued(7)
        let probe = SignalProbe(signal, on: queue)
        onOwnThread {
            let child = Child("read line; exit 0", inheritsMask: true)
            let process = "\(child.identifier)"
            let bit = UInt64(1) << UInt64(signal - 1)
            func set(_ name: String) -> UInt64 {
                UInt64(processStatus(name, of: process) ?? "", radix: 16) ?? .max
            }
            #expect(set("SigBlk") == 0)
            #expect(set("SigCgt") & bit == 0)
            #expect(set("SigIgn") & bit == 0)
            child.closeInput()
            #expect(child.reap() == 0)
        }
        probe.end()
    }

    @Test("No thread's mask is changed")
    func masks() {
        let signal = TestSignal.queued(8)
        onOwnThread {
            let before = processStatus("SigBlk", of: "thread-self")
            let probe = SignalProbe(signal, on: queue)
            #expect(processStatus("SigBlk", of: "thread-self") == before)
            raise(signal)
            probe.expect(1)
            probe.end()
            #expect(processStatus("SigBlk", of: "thread-self") == before)
        }
    }
}
