// Work that comes later, unless it is not wanted any more: a search that waits for typing to end.
import RingDispatch

final class Search: @unchecked Sendable {
    // Safety: `pending` is touched on the queue only.
    private let queue = DispatchQueue(label: "search")
    private var pending: DispatchWorkItem?

    func textChanged(to text: String, find: @escaping @Sendable (String) -> Void) {
        queue.async { [self] in
            // Cancelled, an item is not run, and lets go of what it captured at once.
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
        precondition(text == "ring", "an item ran that was cancelled")
        print("searching for", text)
        found.signal()
    }
}
precondition(found.wait(timeout: .now() + 30) == .success)
precondition(DispatchTime.now() >= start + 0.05)
