/// The most recent events, so that clients can resume. They are numbered up to `last` without gaps.
struct History {
    /// The events after a client's position.
    enum Continuation {
        /// A piece of the events up to `last`, possibly not all of them.
        case events([Event], last: UInt64)
        /// Some of the events are no longer kept, or the position lies in the future.
        case unknown
    }

    private let limit: Int
    /// A ring buffer: event number n is at (n - 1) % limit.
    private var events: [Event] = []
    private(set) var last: UInt64 = 0

    /// - Parameter limit: the most events to keep, at least 1.
    init(limit: Int) { self.limit = limit }

    /// The number of the oldest event kept; `last + 1` when there is none.
    var first: UInt64 { last - UInt64(events.count) + 1 }

    mutating func append(_ event: Event) {
        precondition(event.sequence == last + 1, "events are numbered without gaps")
        last += 1
        if events.count < limit {
            events.append(event)
        } else {
            events[place(of: last)] = event
        }
    }

    /// - Parameter count: the most events to return; fewer where the ring buffer wraps.
    func events(after sequence: UInt64, atMost count: Int) -> Continuation {
        guard sequence <= last, sequence + 1 >= first else { return .unknown }
        guard sequence < last else { return .events([], last: last) }
        let start = place(of: sequence + 1)
        let wanted = min(count, Int(last - sequence), events.count - start)
        // A slice would share the ring buffer, and the next event would copy it.
        return .events(Array(events[start..<start + wanted]), last: last)
    }

    private func place(of sequence: UInt64) -> Int { Int((sequence - 1) % UInt64(limit)) }
}
