internal import CLinux
internal import Glibc
internal import Synchronization

/// Writes lines to standard error, each with one write(2) so that lines do not mix, or gives them
/// to a receiver.
package enum Diagnostics {
    package enum Level: Sendable {
        case information
        case warning
    }

    package typealias Receiver = @Sendable (Level, String) -> Void

    /// Guards the receiver of messages; nil: standard error.
    private static let receiver = Mutex<Receiver?>(nil)

    package static func setReceiver(_ receiver: Receiver?) {
        self.receiver.withLock { $0 = receiver }
    }

    package static var hasReceiver: Bool { receiver.withLock { $0 != nil } }

    package static func log(_ message: String, level: Level = .warning) {
        if let receiver = receiver.withLock({ $0 }) { return receiver(level, message) }
        // A full pipe whose reader has stopped must stop neither the monitor nor a loop, and a pipe
        // whose reader is gone (POLLERR) must not end the process with SIGPIPE.
        var output = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
        guard poll(&output, 1, 0) > 0, output.revents == Int16(POLLOUT) else { return }
        write(line: "RingDispatch: \(message)\n")
    }

    fileprivate static func write(line: String) {
        var line = line
        line.withUTF8 { bytes in
            // Ignore the result: a closed or full standard error cannot be reported.
            _ = Glibc.write(2, bytes.baseAddress, bytes.count)
        }
    }
}

/// Ends the process after a misuse of the API.
package func fatalMisuse(_ message: String) -> Never {
    Diagnostics.write(line: "BUG IN CLIENT OF RINGDISPATCH: \(message)\n")
    clinux_abort()
}

/// Ends the process after the failure of an indispensable system call.
package func fatalSystemError(_ error: SystemError) -> Never {
    if error.code == EBADF {
        fatalMisuse("the program has closed a descriptor of the library: \(error)")
    }
    Diagnostics.write(line: "RingDispatch cannot go on: \(error)\n")
    clinux_abort()
}

/// The value of `body`, without which the process cannot go on.
package func indispensable<Value: ~Copyable>(_ body: () throws(SystemError) -> Value) -> Value {
    do { return try body() } catch { fatalSystemError(error) }
}

/// Ends the process because of an invalid setting in its environment.
package func fatalConfiguration(_ message: String) -> Never {
    Diagnostics.write(line: "RingDispatch: \(message)\n")
    // EX_CONFIG of sysexits(3).
    _exit(78)
}
