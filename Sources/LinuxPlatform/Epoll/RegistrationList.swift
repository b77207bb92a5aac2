/// The registrations in flight on one descriptor: nearly always one.
struct RegistrationList {
    private var first: Registration?
    private var others: [Registration] = []

    var isEmpty: Bool { first == nil }

    /// The union of their events.
    var events: UInt32 { others.reduce(first?.events ?? 0) { $0 | $1.events } }

    mutating func add(_ registration: Registration) {
        if first == nil { first = registration } else { others.append(registration) }
    }

    /// Returns whether it was in the list.
    mutating func remove(token: UInt64) -> Bool { takeOne { $0.token == token } != nil }

    mutating func takeOne(where isMeant: (Registration) -> Bool) -> Registration? {
        if let registration = first, isMeant(registration) {
            first = others.popLast()
            return registration
        }
        return others.firstIndex(where: isMeant).map { others.remove(at: $0) }
    }
}
