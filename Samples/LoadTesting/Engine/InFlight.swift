/// A ring buffer of the due and send times of a connection's unanswered messages.
struct InFlight {
    struct Message {
        let due: UInt64
        let sent: UInt64
    }

    private var places: [Message] = []
    private var oldestPlace = 0
    private(set) var count = 0
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    var room: Int { capacity - count }

    var oldest: Message? { count > 0 ? places[oldestPlace] : nil }

    /// The oldest one first.
    var messages: [Message] {
        (0..<count).map { places[(oldestPlace + $0) % capacity] }
    }

    @inline(__always)
    mutating func append(due: UInt64, sent: UInt64) {
        let message = Message(due: due, sent: sent)
        if places.count < capacity {
            // The buffer grows to its capacity first.
            places.append(message)
        } else {
            let place = oldestPlace + count
            places[place < capacity ? place : place - capacity] = message
        }
        count += 1
    }

    @inline(__always)
    mutating func removeOldest() -> Message {
        let message = places[oldestPlace]
        oldestPlace = oldestPlace + 1 == capacity ? 0 : oldestPlace + 1
        count -= 1
        return message
    }

    mutating func removeAll() {
        places.removeAll(keepingCapacity: true)
        oldestPlace = 0
        count = 0
    }
}
