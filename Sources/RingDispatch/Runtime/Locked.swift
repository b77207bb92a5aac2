internal import Ring
internal import Synchronization

/// A value behind a lock that is held for moments only.
///
/// `Mutex` works inside the standard library, where ThreadSanitizer cannot see who comes after
/// whom. Debug builds, which are the ones it checks, take a lock that it knows around it.
package struct Locked<Value>: ~Copyable {
    private let mutex: Mutex<Value>
    #if DEBUG
    private let known = SystemLock()
    #endif

    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    @inline(__always)
    package borrowing func withLock<Result: ~Copyable>(
        _ body: (inout sending Value) -> sending Result
    ) -> sending Result {
        #if DEBUG
        known.lock()
        defer { known.unlock() }
        #endif
        return mutex.withLock(body)
    }
}

extension Locked: Sendable {}
