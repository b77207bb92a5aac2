import Glibc

/// A value under a mutex, with a condition variable: threads change it, others wait for a change.
final class Monitored<Value>: @unchecked Sendable {
    // Safety: the mutex guards `value`. Mutex and condition variable are on the heap and never
    // move.
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init(_ value: Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    @discardableResult
    func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return try body(&value)
    }

    /// Waits until `body` returns a value; nil at the deadline. Calls it at once, and after each
    /// change.
    func wait<Result>(
        until deadline: Deadline, for body: (Value) throws -> Result?
    ) rethrows -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var time = deadline.time
        while true {
            if let result = try body(value) { return result }
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT {
                return try body(value)
            }
        }
    }
}
