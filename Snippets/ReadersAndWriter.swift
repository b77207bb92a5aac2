// A readers-writer lock: reads run concurrently, a write runs alone.
import RingDispatch

final class Registry: @unchecked Sendable {
    // Safety: the queue's items read the dictionary, its barriers write it.
    private let queue = DispatchQueue(label: "registry", attributes: .concurrent)
    private var addresses: [String: String] = [:]

    subscript(name: String) -> String? {
        get { queue.sync { addresses[name] } }
        // The barrier waits for all earlier readers and blocks the later ones.
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
