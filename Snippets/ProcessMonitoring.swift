// Handles the end of a process as an event, without a thread that waits for it.
import Glibc
import RingDispatch

func whenProcess(
    _ identifier: pid_t, endsOn queue: DispatchQueue, run: @escaping @Sendable () -> Void
) -> any DispatchSourceProcess {
    let source = DispatchSource.makeProcessSource(
        identifier: identifier, eventMask: .exit, queue: queue)
    source.setEventHandler { [unowned source] in
        if source.data.contains(.exit) { run() }
        source.cancel()
    }
    source.activate()
    return source
}

/// Starts a program. A child inherits the blocked signals of the thread that starts it, and threads
/// that run handlers block almost all: SIGTERM would not end it.
func start(_ words: [String]) -> pid_t? {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let arguments = words.map { strdup($0) } + [nil]
    defer { for text in arguments { free(text) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, words[0], nil, &attributes, arguments, environ)
    return code == 0 ? child : nil
}

// snippet.hide
DispatchQueue(label: "starter").async {
    guard let child = start(["/bin/sleep", "1000"]) else { preconditionFailure("no sleep") }
    let ended = DispatchSemaphore(value: 0)
    let source = whenProcess(child, endsOn: DispatchQueue(label: "children")) { ended.signal() }
    kill(child, SIGTERM)
    precondition(ended.wait(timeout: .now() + 30) == .success)
    withExtendedLifetime(source) {}
    // The parent still has to reap the child.
    var status: Int32 = 0
    precondition(waitpid(child, &status, 0) == child && status & 0x7f == SIGTERM)
    print("SIGTERM has ended the process")
    exit(0)
}
dispatchMain()
