// Delayed work that can be cancelled: a search that waits until the user stops typing.
import RingDispatch

final class Search: @unchecked Sendable {
    // Safety: only the queue touches `pending`.
    private let queue = DispatchQueue(label: "search")
    private var pending: DispatchWorkItem?

    func textChanged(to text: String, find: @escaping @Sendable (String) -> Void) {
        queue.async { [self] in
            // A cancelled item does not run, and releases its captures at once.
            pending?.cancel()
            let item = DispatchWorkItem { find(text) }
            pending = item
            queue.asyncAfter(deadline: .now() + .milliseconds(50), execute: item)
        }
    }
}

// snippet.hide
let search = Search()
let found = DispatchSemaphore(value: 0)
let start = DispatchTime.now()
for text in ["r", "ri", "rin", "ring"] {
    search.textChanged(to: text) { text in
        print("searching for", text)
        if text == "ring" { found.signal() }
    }
}
precondition(found.wait(timeout: .now() + 30) == .success)
precondition(DispatchTime.now() >= start + 0.05)
