#if DEBUG
internal import LinuxPlatform
#endif
public import Synchronization

/// A value behind a lock that is held for moments only.
///
/// `Mutex` works inside the standard library, where ThreadSanitizer cannot see who comes after
/// whom. Debug builds, which are the ones it checks, take a lock that it knows around it.
///
/// The other modules of the package get their own copy of `withLock`, for their own types: the type
/// has to be usable from inline code for that, too, or the compiler leaves it at a generic call.
@usableFromInline
package struct Locked<Value>: ~Copyable {
    @usableFromInline package let mutex: Mutex<Value>
    #if DEBUG
    private let known = SystemLock()
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
