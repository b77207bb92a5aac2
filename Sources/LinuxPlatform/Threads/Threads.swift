internal import CLinux
internal import Glibc

/// Threads, and what belongs to the calling one.
package enum Threads {
    package static var currentIdentifier: UInt32 { UInt32(truncatingIfNeeded: clinux_thread_id()) }

    /// Whether the calling thread is the one that started the process.
    package static var isMain: Bool { getpid() == Int32(bitPattern: currentIdentifier) }

    private final class Entry {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// Starts a detached thread that blocks every signal but those a fault raises.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        var blocked = sigset_t()
        var previous = sigset_t()
        sigfillset(&blocked)
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] {
            sigdelset(&blocked, signal)
        }
        // The new thread inherits the mask, so that no signal reaches it before it could block it.
        pthread_sigmask(SIG_SETMASK, &blocked, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        let entry = Unmanaged.passRetained(Entry(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Entry>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, entry.toOpaque())
        if code != 0 {
            entry.release()
            throw SystemError(
                call: "pthread_create", code: code,
                remedy: "raise the limit on threads (ulimit -u, or the container's pids limit)")
        }
    }

    /// Runs `body` with the thread's local pointer when a thread that has one ends.
    package static func atExit(_ body: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void)
        -> ExitKey
    {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, body)
        if code != 0 { fatalSystemError(SystemError(call: "pthread_key_create", code: code)) }
        return ExitKey(key: key)
    }

    /// Runs `body` in the child of each later fork(2), on its only thread, before fork returns.
    package static func atForkInChild(_ body: @escaping @convention(c) () -> Void) {
        let code = pthread_atfork(nil, nil, body)
        if code != 0 { fatalSystemError(SystemError(call: "pthread_atfork", code: code)) }
    }

    /// A key whose destructor runs when a thread that set it ends.
    package struct ExitKey: Sendable {
        fileprivate let key: pthread_key_t

        package func set(_ value: UnsafeMutableRawPointer?) {
            pthread_setspecific(key, value)
        }
    }

    /// Names the calling thread, as far as 15 bytes go (pthread_setname_np(3)).
    package static func setName(_ name: String) {
        clinux_set_thread_name(String(decoding: name.utf8.prefix(15), as: UTF8.self))
    }

    /// Timers of the calling thread's waits end on time instead of up to 50 µs late.
    package static func useFineTimers() {
        clinux_use_fine_timers()
    }

    /// Lowest CPU and idle I/O priority for the calling thread, as for GCD's background class.
    package static func useBackgroundPriority() {
        clinux_use_lowest_priority()
    }

    /// Gives the CPU to another thread that is ready.
    package static func yield() { sched_yield() }

    /// CPU time that a thread has used, in nanoseconds; nil when it is gone.
    package static func cpuNanoseconds(ofThread identifier: UInt32) -> UInt64? {
        // The kernel's encoding of a thread's CPU clock: see clock_getres(2).
        let clock = clockid_t(~Int32(bitPattern: identifier) << 3 | 6)
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Whether a thread of this process runs, or waits for nothing but a CPU. proc_pid_stat(5).
    package static func isRunnable(thread identifier: UInt32) -> Bool {
        let line = SystemFile.firstLine(of: "/proc/self/task/\(identifier)/stat")
        // Behind the name, which is in parentheses and may have any characters.
        guard let line, let end = line.utf8.lastIndex(of: UInt8(ascii: ")")) else { return false }
        return line.utf8[end...].dropFirst(2).first == UInt8(ascii: "R")
    }
}
