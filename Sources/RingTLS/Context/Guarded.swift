#if TLS
internal import LinuxPlatform

/// A value behind a lock that is held for moments only.
final class Guarded<Value>: @unchecked Sendable {
    // Safety: `value` is only touched while `lock` is held, and results are checked as `sending`.
    private let lock = SystemLock()
    private var value: Value

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
