// A server whose clients use up all descriptors before the main thread calls dispatchMain: the main
// queue has its descriptors already. Ends with status 0.
import Foundation

let hasBegun = DispatchSemaphore(value: 0)
DispatchQueue.global().async { hasBegun.signal() }
hasBegun.wait()

let free = dup(STDIN_FILENO)
close(free)
var noMore = rlimit(rlim_cur: rlim_t(free), rlim_max: rlim_t(free))
setrlimit(__rlimit_resource_t(7), &noMore)  // RLIMIT_NOFILE, whose enumerator is missing

DispatchQueue.global().asyncAfter(deadline: .now() + 30) {
    print("shortage-check: the main queue is not served")
    exit(1)
}
DispatchQueue.global().async {
    DispatchQueue.main.async {
        // The main actor's tasks run, too.
        Task { @MainActor in exit(Thread.isMainThread ? 0 : 1) }
    }
}
dispatchMain()
