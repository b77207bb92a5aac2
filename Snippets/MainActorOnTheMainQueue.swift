// A synchronous main: the main actor and the main queue are one, and stay on the main thread.
import Glibc
import RingConcurrency
import RingDispatch

RingConcurrency.install()

@MainActor final class Status {
    private(set) var lines: [String] = []

    func add(_ line: String) { lines.append(line) }
}

let status = Status()
Task.detached {
    await status.add("from a task")
    DispatchQueue.main.async {
        // Code of the main queue may use the main actor's state.
        MainActor.assumeIsolated {
            status.add("from the main queue")
            print(status.lines.joined(separator: ", "))
            // snippet.hide
            precondition(status.lines == ["from a task", "from the main queue"])
            // snippet.show
            exit(0)
        }
    }
}
dispatchMain()
