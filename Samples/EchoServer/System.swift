// The process calls: signals, limits, environment, output.
import Glibc

/// The current thread's errno in the system's words.
func errnoText() -> String {
    String(cString: strerror(errno))
}

/// One line on standard output, at once, even into a pipe.
func writeLine(_ line: String) {
    print(line)
    fflush(nil)
}

/// One line on standard error.
func writeErrorLine(_ line: String) {
    let line = "EchoServer: \(line)\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
}

/// A peer that is gone is an error of send(2), never a signal.
func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
}

/// The number of descriptors this process may have open.
func descriptorLimit() -> UInt {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return limit.rlim_cur
}

/// Lifts the soft limit to the hard one. The soft one is low only for programs that use select(2).
func raiseDescriptorLimit() {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
}

/// signalfd(2): a descriptor that becomes readable when a signal of `mask` is pending.
func openSignalDescriptor(_ mask: sigset_t) throws -> Int32 {
    // Swift's Glibc module lacks <sys/signalfd.h>: look the function up by name.
    typealias Function = @convention(c) (Int32, UnsafePointer<sigset_t>, Int32) -> Int32
    guard let symbol = dlsym(nil, "signalfd") else {
        throw Failure("the C library has no signalfd: link it dynamically")
    }
    // Safety: the type is the one signalfd(2) documents; O_ and SFD_ flags have the same values.
    let function = unsafeBitCast(symbol, to: Function.self)
    var mask = mask
    let descriptor = function(-1, &mask, O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0 { throw Failure("signalfd: \(errnoText())") }
    return descriptor
}

/// Takes one pending signal from a signalfd; false when there is none.
func takeSignal(from descriptor: Int32) -> Bool {
    // signalfd(2) hands out whole structures of 128 bytes.
    var structure = [UInt8](repeating: 0, count: 128)
    return read(descriptor, &structure, structure.count) == structure.count
}
