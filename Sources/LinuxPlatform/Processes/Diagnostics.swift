internal import Glibc

/// Lines on standard error, each written by one call so that they do not mix.
package enum Diagnostics {
    package static func log(_ message: String) {
        write(line: "RingDispatch: \(message)\n")
    }

    fileprivate static func write(line: String) {
        var line = line
        line.withUTF8 { bytes in
            // Nothing can be done about a standard error that is closed or full.
            _ = Glibc.write(2, bytes.baseAddress, bytes.count)
        }
    }
}

/// Ends the process because the program broke a rule of the API.
package func fatalMisuse(_ message: String) -> Never {
    Diagnostics.write(line: "BUG IN CLIENT OF RINGDISPATCH: \(message)\n")
    abort()
}

/// Ends the process because the kernel refused what cannot be done without.
package func fatalSystemError(_ error: SystemError) -> Never {
    Diagnostics.write(line: "RingDispatch cannot go on: \(error)\n")
    abort()
}

/// Ends the process because its environment asks for what cannot be.
package func fatalConfiguration(_ message: String) -> Never {
    Diagnostics.write(line: "RingDispatch: \(message)\n")
    // EX_CONFIG of sysexits(3).
    _exit(78)
}
