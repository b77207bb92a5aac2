import Glibc
import RingDispatch
import Testing

@Suite("Sequences of events", .watchdog)
struct EventSequenceTests {
    /// Real-time signals that no other test uses.
    private static let (first, second, third, fourth, fifth) = (
        TestSignal.queued(28), TestSignal.queued(29), TestSignal.queued(30),
        TestSignal.queued(17), TestSignal.queued(18)
    )

    @Test("Each delivery of a signal counts, from the call on")
    func signals() async {
        let signals = DispatchSource.signals(Self.first)
        for _ in 0..<5 { kill(getpid(), Self.first) }
        var count: UInt = 0
        for await signal in signals {
            #expect(signal.number == Self.first)
            count += signal.count
            if count == 5 { break }
        }
        #expect(count == 5)
    }

    @Test("Signals that arrived while nobody waited are one element for each signal")
    func coalesced() async {
        let signals = DispatchSource.signals(Self.second, Self.third)
        let end = Patience.deadline
        var elements = 0
        // On a busy machine, some may arrive only while the task asks.
        repeat {
            for number in [Self.second, Self.third, Self.second, Self.second] {
                kill(getpid(), number)
                letTimePass(milliseconds: 5)
            }
            var counts: [Int32: UInt] = [:]
            elements = 0
            for await signal in signals {
                counts[signal.number, default: 0] += signal.count
                elements += 1
                if counts == [Self.second: 3, Self.third: 1] { break }
            }
        } while elements > 2 && .now() < end
        #expect(elements == 2)
    }

    @Test("Signals that an iterator has left go to the next one")
    func laterIterator() async {
        let numbers: Set = [Self.fourth, Self.fifth]
        let signals = DispatchSource.signals(Self.fourth, Self.fifth)
        for number in numbers { kill(getpid(), number) }
        // Both wait by now, probably.
        letTimePass(milliseconds: 20)
        var found: Set<Int32> = []
        while found != numbers, let signal = await signals.first(where: { _ in true }) {
            found.insert(signal.number)
        }
        #expect(found == numbers)
    }

    @Test("After the last reference is released, the signal has its old effect")
    func released() async {
        await #expect(processExitsWith: .signal(SIGUSR2)) {
            prepareForTrap()
            do {
                let signals = DispatchSource.signals(SIGUSR2)
                kill(getpid(), SIGUSR2)
                for await _ in signals { break }
            }
            while true {
                kill(getpid(), SIGUSR2)
                letTimePass(milliseconds: 1)
            }
        }
    }

    @Test("A timer counts the times that a slow task has missed")
    func timer() async {
        let start = ContinuousClock.now
        let interval = Duration.milliseconds(5)
        var count: UInt = 0
        for await times in DispatchSource.timer(every: interval) {
            #expect(times > 0)
            count += times
            letTimePass(milliseconds: 12)
            if count >= 20 { break }
        }
        let passed = ContinuousClock.now - start
        #expect(passed >= .milliseconds(100))
        // All that have passed but those since the last element.
        #expect(passed < interval * Double(count) + .seconds(Patience.seconds))
    }

    @Test("As many as wanted begin at once")
    func many() {
        let begun = Watched(0)
        for _ in 0..<2000 {
            DispatchQueue.global().async {
                let times = DispatchSource.timer(every: .seconds(1000))
                withExtendedLifetime(times) { _ = begun.increment() }
            }
        }
        expectEventually(begun) { $0 == 2000 }
    }

    @Test("A cancelled task waits no longer", arguments: 0..<20)
    func cancelled(round: Int) async throws {
        let task = ownTask {
            var count = 0
            for await _ in DispatchSource.timer(every: .seconds(1000)) { count += 1 }
            return count
        }
        for _ in 0..<round * 10 { sched_yield() }
        task.cancel()
        #expect(try await task.value == 0)
    }

    @Test("A cancelled task takes nothing, even if something has come")
    func cancelledBehind() async throws {
        let mailbox = Mailbox<Int>()
        mailbox.post { $0 = 1 }
        let task = ownTask {
            withUnsafeCurrentTask { $0?.cancel() }
            return await mailbox.next()
        }
        #expect(try await task.value == nil)
        #expect(await mailbox.next() == 1)
    }

    @Test("The end of a process is one element with its status")
    func exit() async {
        let child = Child("read line; exit 3")
        let sequence = DispatchSource.exit(of: child.identifier)
        child.closeInput()
        var exits: [DispatchSource.ProcessExit] = []
        for await exit in sequence { exits.append(exit) }
        let expected = DispatchSource.ProcessExit(
            process: child.identifier, status: .exited(code: 3))
        #expect(exits == [expected])
    }

    @Test("Two tasks that wait for one sequence are misuse")
    func misuse() async {
        let twice = await #expect(processExitsWith: .signal(SIGABRT), observing: lastWords) {
            prepareForTrap()
            let times = DispatchSource.timer(every: .seconds(1000))
            async let first = times.first { _ in true }
            async let second = times.first { _ in true }
            _ = await (first, second)
        }
        expectMessage(twice, naming: "two tasks wait")
    }
}
