internal import CLinux
internal import Glibc

/// Starts threads, and sets properties of the calling thread.
package enum Threads {
    package static var currentIdentifier: UInt32 { UInt32(truncatingIfNeeded: clinux_thread_id()) }

    /// Blocks the calling thread. usleep(3).
    package static func sleep(milliseconds: UInt32) { usleep(milliseconds * 1000) }

    /// Whether the calling thread is the main thread.
    package static var isMain: Bool { mainIdentifier == currentIdentifier }

    /// A closure that C code keeps.
    final class Entry {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// The call whose error `start` throws.
    package static let creation = "pthread_create"

    /// Starts a detached thread. It blocks all signals except those that faults raise, SIGABRT, and
    /// SIGPROF, with which profilers, and Swift's runtime at a crash, stop threads.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        var blocked = sigset_t()
        var previous = sigset_t()
        sigfillset(&blocked)
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS, SIGPROF] {
            sigdelset(&blocked, signal)
        }
        // The new thread inherits the mask, so no signal can reach it before it runs.
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
            throw SystemError(call: creation, code: code, remedy: remedy(code))
        }
    }

    private static func remedy(_ code: Int32) -> String {
        code == EPERM
            ? "a seccomp profile refuses clone3(2), as Docker's did before 20.10.10: update the "
                + "container runtime, or run with another profile (--security-opt seccomp=PROFILE)"
            : "raise the limit on threads (ulimit -u, or the container's pids limit)"
    }

    /// pthread_key_create(3): `body` runs at the exit of each thread that has set a value, with the
    /// value.
    package static func atExit(_ body: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void)
        -> ExitKey
    {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, body)
        if code != 0 { fatalSystemError(SystemError(call: "pthread_key_create", code: code)) }
        return ExitKey(key: key)
    }

    /// Runs `body` in the child of every later fork(2), on its only thread, before fork returns.
    package static func atForkInChild(_ body: @escaping @convention(c) () -> Void) {
        let code = pthread_atfork(nil, nil, body)
        if code != 0 { fatalSystemError(SystemError(call: "pthread_atfork", code: code)) }
    }

    /// A pthread key with a destructor.
    package struct ExitKey: Sendable {
        fileprivate let key: pthread_key_t

        package func set(_ value: UnsafeMutableRawPointer?) {
            pthread_setspecific(key, value)
        }
    }

    /// pthread_setname_np(3), cut to 15 bytes.
    package static func setName(_ name: String) {
        clinux_set_thread_name(String(decoding: name.utf8.prefix(15), as: UTF8.self))
    }

    /// Makes the calling thread's timeouts exact instead of up to 50 µs late.
    package static func useFineTimers() {
        clinux_use_fine_timers()
    }

    /// Sets the lowest CPU and idle I/O priority for the calling thread, as GCD's background class
    /// does.
    package static func useBackgroundPriority() {
        clinux_use_lowest_priority()
    }

    /// Whether the calling thread has a lower CPU priority (a higher nice value) than another one.
    package static func hasLowerPriority(than thread: UInt32) -> Bool {
        let kind = __priority_which_t(PRIO_PROCESS.rawValue)
        return getpriority(kind, 0) > getpriority(kind, thread)
    }

    /// Whether the calling thread may use the same CPUs as another one.
    package static func hasCPUs(of thread: UInt32) -> Bool {
        clinux_has_cpus_of(Int32(bitPattern: thread)) != 0
    }

    /// Lets the calling thread use the CPUs of the main thread.
    package static func useCPUsOfMainThread() {
        clinux_use_cpus_of_main_thread()
    }

    package static var mainIdentifier: UInt32 { UInt32(bitPattern: getpid()) }

    /// sched_yield(2).
    package static func yield() { sched_yield() }

    /// CPU time that a thread has used, in nanoseconds; nil if the thread has ended.
    package static func cpuNanoseconds(ofThread identifier: UInt32) -> UInt64? {
        // The kernel's encoding of a thread's CPU clock: see clock_getres(2).
        let clock = clockid_t(~Int32(bitPattern: identifier) << 3 | 6)
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// membarrier(2): each thread of the process executes a full memory barrier before this
    /// returns. Returns false where the call is not available.
    package static func executeBarriers() -> Bool { clinux_memory_barrier() == 0 }

    /// The kernel function in which a thread sleeps (proc_pid_wchan(5)); nil if it does not sleep,
    /// or the kernel does not say.
    package static func waitChannel(ofThread identifier: UInt32) -> String? {
        let name = SystemFile.firstLine(of: "/proc/self/task/\(identifier)/wchan")
        return name == nil || name == "0" || name == "" ? nil : name
    }

    /// Whether a thread of this process runs, or waits only for a CPU (state R of
    /// proc_pid_stat(5)).
    package static func isRunnable(thread identifier: UInt32) -> Bool {
        let line = SystemFile.firstLine(of: "/proc/self/task/\(identifier)/stat")
        // The state follows the name, which is in parentheses and may contain any character.
        guard let line, let end = line.utf8.lastIndex(of: UInt8(ascii: ")")) else { return false }
        return line.utf8[end...].dropFirst(2).first == UInt8(ascii: "R")
    }
}
