// A task that iterates over the changes in a folder tree.
import FileWatching

// snippet.hide
import Glibc

var name = Array("/tmp/ring-dispatch-XXXXXX".utf8CString)
precondition(mkdtemp(&name) != nil && chdir(name) == 0 && mkdir("Sources", 0o700) == 0)
// snippet.show
try await FileTreeWatcher.withChanges(of: ["Sources"]) { changes in
    // All folders are watched now: no later change is missed.
    // snippet.hide
    precondition(mkdir("Sources/new", 0o700) == 0)
    // snippet.show
    for await change in changes {
        print(change.action, change.path)
        if change.path.lastComponent == "new" { break }
    }
}
print("the watches are removed")

// snippet.hide
precondition(rmdir("Sources/new") == 0 && rmdir("Sources") == 0 && rmdir(name) == 0)
