/// A variable without any lock, for tests in which a queue is what protects it.
final class Unguarded<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}
