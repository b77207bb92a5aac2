/// A key for a value that a queue carries. Keys are compared by identity.
public final class DispatchSpecificKey<T>: Sendable {
    /// Creates a key that is equal to no other one.
    public init() {}
}
