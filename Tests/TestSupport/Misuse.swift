import Glibc
package import Testing

/// Limits for the child process of an exit test, to be called first. They end a child that hangs
/// instead of trapping, and suppress core files.
package func prepareForTrap() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(4), &none)  // RLIMIT_CORE, whose enumerator is not imported
    alarm(UInt32(4 * Patience.seconds))
}

/// To be called in a child process before it uses up its descriptors. Swift's own tasks run on
/// libdispatch, which opens its descriptors (a timerfd last) on another thread shortly after the
/// first task has started, and may end the process if it cannot.
package func letTasksHaveTheirDescriptors() {
    _ = poll { (0..<256).contains { linkTarget("/proc/self/fd/\($0)").contains("timerfd") } }
}

/// The outputs of a child that `expectMessage` reads.
package let lastWords: [any PartialKeyPath<ExitTest.Result> & Sendable] = [\.standardErrorContent]

/// Checks that the child's error output has the library's prefix and each of `words`, in any case.
package func expectMessage(
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
