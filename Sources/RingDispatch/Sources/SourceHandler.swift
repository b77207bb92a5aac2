/// A handler block. Calls never overlap, so the closure may capture anything.
struct SourceHandler: @unchecked Sendable {
    // Safety: called by one invoker at a time.
    private let block: () -> Void

    init(_ block: @escaping () -> Void) { self.block = block }

    @inline(__always)
    func call() { block() }
}
