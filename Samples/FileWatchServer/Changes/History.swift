/// The last events, so that clients can go on where they were. They have the numbers up to `last`,
/// without gaps.
struct History {
    /// What comes after an event that a client has.
    enum Continuation {
        /// They may be some of those up to the last one only.
        case events(ArraySlice<Event>, last: UInt64)
        /// Some of it is gone, or it was never there.
        case unknown
    }

    private let limit: Int
    /// A ring: the event with the number n is at (n - 1) % limit.
    private var events: [Event] = []
    private(set) var last: UInt64 = 0

    /// - Parameter limit: so many are kept, at least 1.
    init(limit: Int) { self.limit = limit }

    /// The oldest one's number; one more than `last` when there is none.
    var first: UInt64 { last - UInt64(events.count) + 1 }

    /// The number of the event that is appended next.
    var nextSequence: UInt64 { last + 1 }

    mutating func append(_ event: Event) {
        precondition(event.sequence == nextSequence, "events are numbered without gaps")
        last += 1
        if events.count < limit {
            events.append(event)
        } else {
            events[place(of: last)] = event
        }
    }

    /// - Parameter count: so many at most; fewer where the ring's end cuts them.
    func events(after sequence: UInt64, atMost count: Int) -> Continuation {
        guard sequence <= last, sequence + 1 >= first else { return .unknown }
        guard sequence < last else { return .events([], last: last) }
        let start = place(of: sequence + 1)
        let wanted = min(count, Int(last - sequence), events.count - start)
        return .events(events[start..<start + wanted], last: last)
    }

    /// Events begin with 1, which is at the start.
    private func place(of sequence: UInt64) -> Int { Int((sequence - 1) % UInt64(limit)) }
}
