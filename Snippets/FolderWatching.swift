// Reports the changes in a folder tree.
import FileWatching
import Glibc
import RingDispatch

// snippet.hide
var name = Array("/tmp/ring-dispatch-XXXXXX".utf8CString)
precondition(mkdtemp(&name) != nil && chdir(name) == 0 && mkdir("Sources", 0o700) == 0)
let isReady = DispatchSemaphore(value: 0)
let isReported = DispatchSemaphore(value: 0)
// snippet.show
let watcher = try FileTreeWatcher(["Sources"], queue: DispatchQueue(label: "changes"))
// snippet.hide
watcher.setReadyHandler { isReady.signal() }
// snippet.show
watcher.setEventHandler { changes in
    for change in changes { print(change.action, change.path) }
    fflush(nil)  // Shows the lines at once, in a pipe, too.
    // snippet.hide
    if changes.contains(where: { $0.path.string.hasSuffix("/new") }) { isReported.signal() }
    // snippet.show
}
watcher.activate()
// snippet.hide
let folder = name
DispatchQueue.global().async {
    precondition(isReady.wait(timeout: .now() + 30) == .success)
    precondition(mkdir("Sources/new", 0o700) == 0)
    precondition(isReported.wait(timeout: .now() + 30) == .success)
    watcher.cancel()
    precondition(rmdir("Sources/new") == 0 && rmdir("Sources") == 0 && rmdir(folder) == 0)
    exit(0)
}
// snippet.show
dispatchMain()
