internal import LinuxPlatform
internal import Synchronization

/// Runs a block once: the first caller runs it, and all others wait until it has run.
/// `dispatch_once`.
///
/// For code ported from GCD; new code can use a global or static `let`.
public final class DispatchOnce: Sendable {
    /// 0; the thread that runs the block; then `done`. The store of `done` (releasing) pairs with
    /// the loads (acquiring).
    private let runner = Atomic<UInt32>(0)
    /// No thread has this identifier.
    private static let done = UInt32.max
    /// Entered at creation, left when the block has run.
    private let completion = DispatchGroup()

    /// Creates an object whose block has not run. It corresponds to a `dispatch_once_t` of 0.
    public init() { completion.enter() }

    deinit {
        if runner.load(ordering: .relaxed) != DispatchOnce.done { completion.leave() }
    }

    /// Runs the block, unless it has run before. On return the block has completed.
    public func perform(_ block: () -> Void) {
        if runner.load(ordering: .acquiring) != DispatchOnce.done { performSlowly(block) }
    }

    /// Calls `perform`.
    public func callAsFunction(_ block: () -> Void) { perform(block) }

    @inline(never)
    private func performSlowly(_ block: () -> Void) {
        let thread = Context.current.pointee.identifier
        switch runner.compareExchange(expected: 0, desired: thread, ordering: .acquiring).original {
        case 0:
            block()
            runner.store(DispatchOnce.done, ordering: .releasing)
            completion.leave()
        case thread:
            fatalMisuse("deadlock: a DispatchOnce was performed from inside its own block")
        default:
            completion.wait()
        }
    }
}
