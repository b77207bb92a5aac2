/// What waits, in order. Part of a state that a lock guards.
struct WaitList<Element> {
    /// Nil before `start`.
    private var elements: [Element?] = []
    private var start = 0

    var isEmpty: Bool { start == elements.count }

    var first: Element? { isEmpty ? nil : elements[start] }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty, let element = elements[start].take() else { return nil }
        start += 1
        // There may always be one that waits.
        if start == elements.count || start > 32 && start > elements.count / 2 { close() }
        return element
    }

    /// Returns the removed elements, in order.
    mutating func removeAll(where isRemoved: (Element) -> Bool) -> [Element] {
        close()
        var removed: [Element] = []
        elements.removeAll { element in
            guard let element, isRemoved(element) else { return false }
            removed.append(element)
            return true
        }
        return removed
    }

    /// Closes the gap at the start.
    private mutating func close() {
        elements.removeFirst(start)
        start = 0
    }
}

extension WaitList where Element: Equatable {
    /// Removes an element that gave up. Returns false if it was removed already.
    mutating func remove(_ element: Element) -> Bool {
        guard let index = elements.firstIndex(of: element) else { return false }
        elements.remove(at: index)
        return true
    }
}
