/// An operation or barrier that waits at a descriptor's gate.
enum Held: Sendable {
    case operation(IOOperation)
    case barrier(IOBarrier)
}
