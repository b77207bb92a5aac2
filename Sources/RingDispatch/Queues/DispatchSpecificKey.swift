/// Names a value that a queue carries. Keys are told apart by identity.
public final class DispatchSpecificKey<T>: Sendable {
    public init() {}
}
