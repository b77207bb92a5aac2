public import Synchronization

/// State of one owner: a queue, a loop, the holder of a lock, or the thread that sets an object up.
///
/// An object that several threads know keeps all that belongs to its owner in one struct, `State`,
/// and that in a `Confined`. The object's other fields are constant, atomic or locked, so the
/// compiler proves the object `Sendable`. Only code of the owner may use the state; the object says
/// who that is, and its methods check it where callers could be wrong.
///
/// One thread at a time does so, and handlers that it calls are copied out of the struct first. So
/// accesses to one field never overlap. Those to different fields may: the state is reached by its
/// address, and no access is checked for exclusivity.
@usableFromInline
package struct Confined<State>: ~Copyable {
    @usableFromInline let cell: _Cell<State>

    @inlinable @inline(__always)
    package init(_ state: consuming State) { cell = _Cell(state) }

    /// The state, as long as the object lives.
    @inlinable @inline(__always)
    package var address: UnsafeMutablePointer<State> { cell._address }

    /// The state itself, read and changed in place.
    @inlinable
    package var value: State {
        @inline(__always) unsafeAddress { UnsafePointer(cell._address) }
        @inline(__always) nonmutating unsafeMutableAddress { cell._address }
    }
}

// Safety: see above; that the owner alone uses the state is the objects' promise.
extension Confined: @unchecked Sendable {}
