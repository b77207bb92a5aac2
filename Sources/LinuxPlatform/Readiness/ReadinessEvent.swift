/// An event of a `ReadinessSet`.
package struct ReadinessEvent {
    /// The poll(2) events that hold.
    package let events: UInt32
    /// The token that the descriptor was added with.
    package let token: UInt64
}
