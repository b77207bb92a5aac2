#if TLS
internal import LinuxPlatform

/// A value that a lock guards. The lock is held for short operations only.
final class Guarded<Value>: Sendable {
    // Safety: `value` is accessed only under `lock`, and the compiler checks results as `sending`.
    private let lock = SystemLock()
    private nonisolated(unsafe) var value: Value

    init(_ value: sending Value) {
        self.value = value
    }

    func withLock<Result>(_ body: (inout Value) -> sending Result) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
#endif
