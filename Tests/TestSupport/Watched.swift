import Glibc

/// Built on a mutex and a condition variable, so that waiting does not depend on the library under
/// test.
package final class Watched<Value>: @unchecked Sendable {
    // Safety: both pointers live from init to deinit and never move; `stored` is only touched while
    // the mutex is held.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var stored: Value

    package init(_ value: Value) {
        stored = value
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// The current value.
    package var value: Value { update { $0 } }

    /// Changes the value and wakes all waiting threads.
    @discardableResult
    package func update<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
        return body(&stored)
    }

    /// Waits until `condition` holds; false when `seconds` passed before it did.
    package func wait(
        seconds: Int, until condition: (Value) throws -> Bool
    ) rethrows -> Bool {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.tv_sec += seconds
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while try !condition(stored) {
            if pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT {
                return try condition(stored)
            }
        }
        return true
    }
}

extension Watched where Value == Int {
    @discardableResult
    package func increment(by amount: Int = 1) -> Int {
        update { value in
            value += amount
            return value
        }
    }
}

extension Watched where Value: RangeReplaceableCollection {
    package func append(_ element: Value.Element) {
        update { $0.append(element) }
    }
}
