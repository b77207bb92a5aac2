/// What happens when a timer is due, for one kind of object.
final class TimerAction: Sendable {
    /// Takes the reference to the object, and the slot's `detail`. The slot has left the heap.
    let fire: @Sendable (UnsafeRawPointer, UInt, Context) -> Void
    /// Stores the slot's index (-1: none) in its object, under the heap's lock. Nil: such timers
    /// are never removed.
    let noteIndex: (@Sendable (UnsafeRawPointer, Int) -> Void)?

    init(
        fire: @escaping @Sendable (UnsafeRawPointer, UInt, Context) -> Void,
        noteIndex: (@Sendable (UnsafeRawPointer, Int) -> Void)? = nil
    ) {
        self.fire = fire
        self.noteIndex = noteIndex
    }
}
