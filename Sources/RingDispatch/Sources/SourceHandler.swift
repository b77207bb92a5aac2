/// A handler block. Calls never overlap, so the closure may capture anything.
///
/// Not generic like `IOHandler`, which calls its closure through a thunk.
struct SourceHandler: Sendable {
    // Safety: called by one invoker at a time.
    private nonisolated(unsafe) let block: () -> Void

    init(_ block: @escaping () -> Void) { self.block = block }

    @inline(__always)
    func call() { block() }
}
