import Glibc
import RingDispatch
import Testing

/// Each test runs in a process of its own, in which all threads block the signals.
@Suite("Signal sources of a program that blocks its signals", .serialized)
struct BlockedSignalTests {
    @Test("63. A signal that all threads block counts")
    func blocked() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            blockEverywhere(SIGTERM, SIGHUP)
            let queue = DispatchQueue(label: "blocked")
            let (term, hup) = (SignalProbe(SIGTERM, on: queue), SignalProbe(SIGHUP, on: queue))
            for count: UInt in 1...5 {
                kill(getpid(), SIGTERM)
                term.expect(count)
                kill(getpid(), SIGHUP)
                hup.expect(count)
            }
            term.end()
            // Later signals stay pending, as if there had been no source.
            kill(getpid(), SIGTERM)
            kill(getpid(), SIGHUP)
            hup.expect(6)
            hup.end()
            endProcess(succeedingIf: term.total == 5 && hup.total == 6)
        }
    }

    @Test("63. Each one of a real-time signal counts, also those that were sent before")
    func queued() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let signal = TestSignal.queued(20)
            blockEverywhere(signal)
            for _ in 0..<20 { sendQueued(signal) }
            let probe = SignalProbe(signal, on: DispatchQueue(label: "blocked"))
            probe.expect(20)
            for _ in 0..<100 { sendQueued(signal) }
            probe.expect(120)
            probe.end()
            endProcess(succeedingIf: probe.total == 120)
        }
    }

    @Test(
        "63. A thread that stops blocking takes what it is sent, and all count once",
        .enabled(if: TestSignal.areKeptApart))
    func sometimesBlocked() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let signal = TestSignal.queued(21)
            blockEverywhere(signal)
            let probe = SignalProbe(signal, on: DispatchQueue(label: "blocked"))
            let isOver = Watched(false)
            let thread = UserThread {
                var set = sigset_t()
                sigemptyset(&set)
                sigaddset(&set, signal)
                while !isOver.value {
                    pthread_sigmask(SIG_UNBLOCK, &set, nil)
                    sched_yield()
                    pthread_sigmask(SIG_BLOCK, &set, nil)
                    sched_yield()
                }
            }
            for _ in 0..<2000 { sendQueued(signal) }
            probe.expect(2000)
            isOver.update { $0 = true }
            let joined = thread.join()
            probe.end()
            endProcess(succeedingIf: joined && probe.total == 2000)
        }
    }

    @Test(
        "A handler of the program's is not deprived of a signal that waits for its thread",
        .enabled(if: TestSignal.areKeptApart))
    func handler() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let signal = TestSignal.queued(22)
            blockEverywhere(signal)
            OwnHandler.install(signal)
            let queue = DispatchQueue(label: "blocked")
            let probe = SignalProbe(signal, on: queue)
            for _ in 0..<3 { sendQueued(signal) }
            letTimePass(milliseconds: Patience.glanceMilliseconds)
            let before = (OwnHandler.calls(signal), probe.total)
            onOwnThread {
                expectSoon("the thread takes them") { OwnHandler.calls(signal) == 3 }
            }
            probe.expect(3)
            probe.end()
            endProcess(
                succeedingIf: before == (0, 0) && OwnHandler.calls(signal) == 3
                    && probe.total == 3)
        }
    }

    @Test(
        "A handler that comes after the source is not deprived either",
        .enabled(if: TestSignal.areKeptApart))
    func laterHandler() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let signal = TestSignal.queued(23)
            blockEverywhere(signal)
            let probe = SignalProbe(signal, on: DispatchQueue(label: "blocked"))
            sendQueued(signal)
            probe.expect(1)
            OwnHandler.install(signal)
            for _ in 0..<3 { sendQueued(signal) }
            letTimePass(milliseconds: Patience.glanceMilliseconds)
            onOwnThread {
                expectSoon("the thread takes them") { OwnHandler.calls(signal) == 3 }
            }
            probe.end()
            endProcess(succeedingIf: OwnHandler.calls(signal) == 3 && probe.total == 1)
        }
    }

    @Test("A program that ignores SIGCHLD still has no zombies")
    func children() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            signal(SIGCHLD, SIG_IGN)
            let probe = SignalProbe(SIGCHLD, on: DispatchQueue(label: "children"))
            let child = Child("exit 0")
            probe.expect(1)
            let status = child.reap()
            let code = errno
            probe.end()
            endProcess(
                succeedingIf: status == nil && code == ECHILD
                    && handlerAddress(of: SIGCHLD) == 1)
        }
    }
}
