internal import Glibc

/// Writes lines to standard error, each with one write(2) so that lines do not mix.
package enum Diagnostics {
    package static func log(_ message: String) {
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
    abort()
}

/// Ends the process after the failure of an indispensable system call.
package func fatalSystemError(_ error: SystemError) -> Never {
    Diagnostics.write(line: "RingDispatch cannot go on: \(error)\n")
    abort()
}

/// Ends the process because of an invalid setting in its environment.
package func fatalConfiguration(_ message: String) -> Never {
    Diagnostics.write(line: "RingDispatch: \(message)\n")
    // EX_CONFIG of sysexits(3).
    _exit(78)
}
