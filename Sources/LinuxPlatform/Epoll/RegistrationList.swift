/// The watches that are out on one descriptor: one, nearly always.
struct RegistrationList {
    private var first: Registration?
    private var others: [Registration] = []

    var isEmpty: Bool { first == nil }

    /// Everything that somebody waits for.
    var events: UInt32 { others.reduce(first?.events ?? 0) { $0 | $1.events } }

    mutating func add(_ watch: Registration) {
        if first == nil { first = watch } else { others.append(watch) }
    }

    /// Whether it was there.
    mutating func remove(token: UInt64) -> Bool { takeOne { $0.token == token } != nil }

    mutating func takeOne(where isMeant: (Registration) -> Bool) -> Registration? {
        if let watch = first, isMeant(watch) {
            first = others.popLast()
            return watch
        }
        return others.firstIndex(where: isMeant).map { others.remove(at: $0) }
    }
}
