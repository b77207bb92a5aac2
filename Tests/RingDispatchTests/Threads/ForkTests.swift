import Glibc
import RingDispatch
import Testing

/// The tests run in separate processes, whose children have none of their threads.
@Suite(
    "The child of a fork", .watchdog, .serialized,
    .disabled(if: isThreadSanitized, "a child of ThreadSanitizer's must not make threads"))
struct ForkTests {
    @Test("81. Using a queue in the child traps")
    func afterUse() async {
        let result = await #expect(processExitsWith: .success, observing: lastWords) {
            let queue = DispatchQueue(label: "fork.used")
            let ran = Gate()
            queue.async { ran.open() }
            expectOpens(ran)
            let child = fork()
            if child == 0 {
                prepareForTrap()
                queue.async {}
                _exit(0)
            }
            endProcess(succeedingIf: endingSignal(of: child) == SIGABRT)
        }
        expectMessage(result, naming: "fork", "exec")
    }

    @Test("81. The parent goes on, and the child may exec")
    func exec() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let queue = DispatchQueue(label: "fork.parent")
            let ran = Watched(0)
            queue.async { ran.increment() }
            _ = ran.wait(seconds: Patience.seconds) { $0 == 1 }
            var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
            let child = fork()
            if child == 0 {
                execv("/bin/true", &arguments)
                _exit(3)
            }
            let isFine = endingSignal(of: child) == 0
            queue.async { ran.increment() }
            let goesOn = ran.wait(seconds: Patience.seconds) { $0 == 2 }
            endProcess(succeedingIf: isFine && goesOn)
        }
    }

    @Test("81. A program that forks before it uses a queue may use them in the child")
    func beforeUse() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let child = fork()
            if child == 0 {
                prepareForTrap()
                let ran = Gate()
                DispatchQueue(label: "fork.child").async { ran.open() }
                endProcess(succeedingIf: ran.waitUntilOpen(seconds: Patience.seconds))
            }
            endProcess(succeedingIf: endingSignal(of: child) == 0)
        }
    }
}

/// fork(2), which Swift's import of the C library hides.
private func fork() -> pid_t {
    let symbol = dlsym(nil, "fork")
    return unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
}

/// The signal that ended a child; 0: it exited with success, -1: otherwise.
private func endingSignal(of child: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    return status & 0x7f == 0 ? (status == 0 ? 0 : -1) : status & 0x7f
}
