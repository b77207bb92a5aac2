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

// snippet.hide
var child: pid_t = 0
let words = ["/bin/sh", "-c", "exit 3"]
var arguments = words.map { strdup($0) } + [nil]
precondition(posix_spawn(&child, "/bin/sh", nil, nil, &arguments, environ) == 0)
let ended = DispatchSemaphore(value: 0)
let source = whenProcess(child, endsOn: DispatchQueue(label: "children")) { ended.signal() }
precondition(ended.wait(timeout: .now() + 30) == .success)
// The parent still has to reap the child.
var status: Int32 = 0
precondition(waitpid(child, &status, 0) == child && (status >> 8) & 0xff == 3)
print("the process ended with status 3")
withExtendedLifetime(source) {}
