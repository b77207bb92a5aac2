public import Synchronization

/// A value behind a lock that is held only briefly.
///
/// `Mutex` is compiled into the standard library, where ThreadSanitizer cannot see its ordering.
/// Debug builds, which are the ones it checks, hold a second lock that it understands.
///
/// Both members are inlinable, so that other modules of the package specialize them for their own
/// types. That requires the type to be `@usableFromInline`; otherwise the compiler emits generic
/// calls.
@usableFromInline
package struct Locked<Value>: ~Copyable {
    @usableFromInline package let mutex: Mutex<Value>
    #if DEBUG
    private let known = SystemLock()
    #endif

    #if !DEBUG
    @inlinable
    #endif
    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    #if !DEBUG
    @inlinable @inline(__always)
    #endif
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
