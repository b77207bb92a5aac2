internal import Glibc

/// pthread_mutex(3), which ThreadSanitizer understands.
package final class SystemLock: Sendable {
    // Safety: initialized before the lock is shared; POSIX allows use by all threads from then on.
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func lock() { pthread_mutex_lock(mutex) }
    package func unlock() { pthread_mutex_unlock(mutex) }
}
