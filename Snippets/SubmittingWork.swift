// Submits work to a queue, and waits for it.
import RingDispatch

let queue = DispatchQueue(label: "work")
// snippet.hide
let isDone = DispatchSemaphore(value: 0)
queue.async { isDone.signal() }
// snippet.show
queue.async { print("on a queue") }
queue.sync { print("everything before is done") }

// snippet.hide
precondition(isDone.wait(timeout: .now()) == .success)
