/// A queue of at most `capacity` elements.
struct RingBuffer<Element> {
    private var places: [Element] = []
    private var oldestPlace = 0
    private(set) var count = 0
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    var room: Int { capacity - count }

    var oldest: Element? { count > 0 ? places[oldestPlace] : nil }

    /// The oldest one first.
    var elements: [Element] {
        (0..<count).map { places[(oldestPlace + $0) % capacity] }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if places.count < capacity {
            // The buffer grows to its capacity first.
            places.append(element)
        } else {
            let place = oldestPlace + count
            places[place < capacity ? place : place - capacity] = element
        }
        count += 1
    }

    @inline(__always)
    mutating func removeOldest() -> Element {
        let element = places[oldestPlace]
        oldestPlace = oldestPlace + 1 == capacity ? 0 : oldestPlace + 1
        count -= 1
        return element
    }

    mutating func removeAll() {
        places.removeAll(keepingCapacity: true)
        oldestPlace = 0
        count = 0
    }
}
