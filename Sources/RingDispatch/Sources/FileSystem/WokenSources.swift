/// Sources with new events: nearly always one, which needs no array.
struct WokenSources {
    private var first: FileSystemSource?
    private var others: [FileSystemSource] = []

    @inline(__always)
    mutating func add(_ source: FileSystemSource) {
        if first == nil { first = source } else { others.append(source) }
    }

    @inline(never)
    mutating func wakeAll(_ context: Context) {
        first?.wake(context)
        first = nil
        for source in others { source.wake(context) }
        others.removeAll(keepingCapacity: true)
    }
}
