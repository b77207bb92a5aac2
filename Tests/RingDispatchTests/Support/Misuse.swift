import Glibc
import LinuxPlatform
import Testing

/// Limits for the child process of an exit test: call it first. A child that hangs instead of
/// trapping is ended, and a child that traps writes no core file.
func prepareForTrap() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(4), &none)  // RLIMIT_CORE, whose enumerator is not imported
    alarm(UInt32(Patience.seconds))
}

/// In a child process that leaves few descriptors: call it before. libdispatch, on which Swift's
/// own tasks run, opens what it needs (a timerfd comes last) on a thread of its own a moment after
/// the first task has begun, and may end the process where it cannot.
func letTasksHaveTheirDescriptors() {
    _ = poll { (0..<Int32(256)).contains { Descriptors.name(of: $0)?.contains("timerfd") == true } }
}

/// What `expectMessage` reads of a child's end.
let lastWords: [any PartialKeyPath<ExitTest.Result> & Sendable] = [\.standardErrorContent]

/// Checks that the child's last words name the mistake: the library's prefix and each of `words`,
/// whatever their case.
func expectMessage(
    _ result: ExitTest.Result?, naming words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    guard let result else { return }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    let lowercased = message.lowercased()
    for word in ["BUG IN CLIENT OF RINGDISPATCH"] + words {
        #expect(
            lowercased.contains(word.lowercased()), "standard error was: \(message)",
            sourceLocation: sourceLocation)
    }
}
