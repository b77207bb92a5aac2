internal import CSimulation
internal import Glibc
internal import RingDispatch

/// Blocks a thread until another one releases it: in a wait of the library, or in the C library.
final class Blocker: @unchecked Sendable {
    private enum Kind: CaseIterable {
        case semaphore, group
        case sleep, condition, pipe
    }

    private let kind: Kind
    private var isReleased = false
    private let semaphore = DispatchSemaphore(value: 0)
    private let group = DispatchGroup()
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var ends: [Int32] = [-1, -1]

    /// - Parameter hidesFromLibrary: whether only the monitor can notice that the thread blocks.
    init(hidesFromLibrary: Bool = false) {
        kind = Kind.allCases[random(hidesFromLibrary ? 2...4 : 0...4)]
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
        if kind == .group { group.enter() }
        if kind == .pipe { require(Glibc.pipe(&ends) == 0, "no pipe") }
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func block() {
        switch kind {
        case .semaphore:
            if oneIn(2) {
                semaphore.wait()
            } else {
                while semaphore.wait(timeout: .now() + .microseconds(random(1...2_000)))
                    == .timedOut
                {}
            }
        case .group: group.wait()
        case .sleep: while !isReleased { pause(1...1_000) }
        case .condition:
            pthread_mutex_lock(mutex)
            while !isReleased { pthread_cond_wait(condition, mutex) }
            pthread_mutex_unlock(mutex)
        case .pipe:
            require(readSome(ends[0], 1).result == 1, "no byte")
            for end in ends { close(end) }
        }
        require(isReleased, "a wait that ended too early")
    }

    func release() {
        pthread_mutex_lock(mutex)
        isReleased = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
        switch kind {
        case .semaphore: semaphore.signal()
        case .group: group.leave()
        case .pipe: require(call { write(ends[1], [1], 1) } == 1, "no write")
        case .sleep, .condition: break
        }
    }
}
