/// A handler block. The queue keeps two calls apart, whatever the closure captures.
struct SourceHandler: @unchecked Sendable {
    // Safety: called by one invoker at a time.
    private let block: () -> Void

    init(_ block: @escaping () -> Void) { self.block = block }

    @inline(__always)
    func call() { block() }
}
