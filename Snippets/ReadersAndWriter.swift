// Many read at a time; who writes is alone.
import RingDispatch

final class Registry: @unchecked Sendable {
    // Safety: read by items of the queue, written by its barriers.
    private let queue = DispatchQueue(label: "registry", attributes: .concurrent)
    private var addresses: [String: String] = [:]

    subscript(name: String) -> String? {
        get { queue.sync { addresses[name] } }
        // The barrier waits for the readers that came before, and holds back those that come later.
        set { queue.async(flags: .barrier) { self.addresses[name] = newValue } }
    }

    func removeAll() -> Int {
        queue.sync(flags: .barrier) {
            defer { addresses = [:] }
            return addresses.count
        }
    }
}

// snippet.hide
let registry = Registry()
DispatchQueue.concurrentPerform(iterations: 300) { number in
    registry["host\(number % 30)"] = "10.0.0.\(number % 30)"
    precondition(registry["host\(number % 30)"] == "10.0.0.\(number % 30)")
}
let removed = registry.removeAll()
precondition(removed == 30 && registry["host1"] == nil)
print("\(removed) hosts were registered")
