import Glibc
import RingDispatch
import Testing

@Suite("Sources without descriptors, and loops without memory", .serialized)
struct ShortageTests {
    @Test("A child's end is reported although no descriptor is free")
    func shortage() async {
        let result = await #expect(processExitsWith: .success, observing: lastWords) {
            prepareForTrap()
            let queue = DispatchQueue(label: "shortage")
            let (child, other) = (Child("read line; exit 11"), Child("read line; exit 12"))
            // The library has opened its own descriptors.
            drain(queue)
            let source = { (identifier: pid_t, ended: Watched<[Int32]>) in
                let source = DispatchSource.makeProcessSource(
                    identifier: identifier, eventMask: .exit, queue: queue)
                source.setEventHandler {
                    if case .exited(let code) = source.exitStatus { ended.append(code) }
                }
                return source
            }
            limitDescriptors()
            let (whileShort, afterwards) = (Watched<[Int32]>([]), Watched<[Int32]>([]))
            let first = source(child.identifier, whileShort)
            let second = source(other.identifier, afterwards)
            let cancelled = (watchCancel(of: first), watchCancel(of: second))
            first.activate()
            second.activate()
            child.closeInput()
            let firstArrived = whileShort.wait(seconds: Patience.seconds) { $0 == [11] }
            raiseDescriptorLimit()
            // The source of the other child gets its descriptor.
            expectSoon("no descriptor was opened") {
                (0..<4096).contains {
                    contents(ofFile: "/proc/self/fdinfo/\($0)")?
                        .contains("\nPid:\t\(other.identifier)\n") == true
                }
            }
            other.closeInput()
            let secondArrived = afterwards.wait(seconds: Patience.seconds) { $0 == [12] }
            finish(first, cancelled.0)
            finish(second, cancelled.1)
            endProcess(succeedingIf: firstArrived && secondArrived)
        }
        guard let result else { return }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("pidfd_open failed"), "standard error was: \(message)")
        #expect(message.contains("RLIMIT_NOFILE"), "standard error was: \(message)")
    }

    @Test("A source that is cancelled while it has no descriptor ends at once")
    func cancelled() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let queue = DispatchQueue(label: "shortage")
            let child = Child("read line; exit 11")
            drain(queue)
            limitDescriptors()
            let source = DispatchSource.makeProcessSource(
                identifier: child.identifier, eventMask: .exit, queue: queue)
            let ended = activate(source) { endProcess(succeedingIf: false) }
            finish(source, ended)
            child.closeInput()
            child.waitUntilEnded()
            letTimePass(milliseconds: 300)
            endProcess(succeedingIf: ended.wasOpened)
        }
    }

    @Test("Signals are reported although no descriptor was free for the first source")
    func signals() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let queue = DispatchQueue(label: "shortage")
            drain(queue)
            limitDescriptors()
            let before = handlerAddress(of: SIGUSR1)
            let probe = SignalProbe(SIGUSR1, on: queue)
            expectSoon("the source listens") { handlerAddress(of: SIGUSR1) != before }
            deliver(SIGUSR1)
            endProcess(succeedingIf: probe.seen.wait(seconds: Patience.seconds) { $0 == [1] })
        }
    }

    @Test("69. Wall-clock timers follow the clock although no descriptor was free for the first")
    func clock() async {
        let result = await #expect(processExitsWith: .success, observing: lastWords) {
            prepareForTrap()
            let queue = DispatchQueue(label: "shortage")
            drain(queue)
            limitDescriptors()
            let fired = Gate()
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(wallDeadline: .now() + .milliseconds(1))
            timer.start { fired.open() }
            expectOpens(fired)
            raiseDescriptorLimit()
            // A timer of CLOCK_REALTIME, which the clock's steps cancel.
            let clock = (0..<256).first { number in
                let facts = contents(ofFile: "/proc/self/fdinfo/\(number)") ?? ""
                return facts.contains("clockid: 0\n") && facts.contains("settime flags: 03\n")
            }
            endProcess(succeedingIf: clock != nil)
        }
        guard let result else { return }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(!message.contains("clock"), "standard error was: \(message)")
    }

    @Test("Background work without descriptors runs on ordinary threads, and keeps no descriptor")
    func background() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "8", 1)
            drain(DispatchQueue(label: "shortage"))
            letTasksHaveTheirDescriptors()
            let free = (0..<5).map { _ in dup(STDIN_FILENO) }
            limitDescriptors()
            for descriptor in free { close(descriptor) }
            let ran = Gate()
            DispatchQueue.global(qos: .background).async { ran.open() }
            expectOpens(ran)
            // Other threads open files for moments.
            let areFree = poll {
                let again = free.map { _ in dup(STDIN_FILENO) }
                for descriptor in again { close(descriptor) }
                return !again.contains(-1)
            }
            endProcess(succeedingIf: areFree)
        }
    }

    @Test(
        "epoll is used if one ring may lock its memory, but not one for each event loop",
        .enabled(if: geteuid() == 0, "only root can become a user without privileges"))
    func lockedMemory() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_BACKEND", "auto", 1)
            setenv("RINGDISPATCH_LOOPS", "64", 1)
            var little = rlimit(rlim_cur: 256 << 10, rlim_max: 256 << 10)
            setrlimit(__rlimit_resource_t(8), &little)  // RLIMIT_MEMLOCK
            setuid(65534)
            drain(DispatchQueue(label: "locked"))
            endProcess(succeedingIf: true)
        }
    }
}

/// In a child process, after the library has opened its own descriptors: from now on, none is free.
private func limitDescriptors() {
    letTasksHaveTheirDescriptors()
    let none = dup(STDIN_FILENO)
    close(none)
    var few = rlimit(rlim_cur: rlim_t(none), rlim_max: 4096)
    setrlimit(__rlimit_resource_t(7), &few)  // RLIMIT_NOFILE, whose enumerator is missing
}

private func raiseDescriptorLimit() {
    var many = rlimit(rlim_cur: 4096, rlim_max: 4096)
    setrlimit(__rlimit_resource_t(7), &many)
}
