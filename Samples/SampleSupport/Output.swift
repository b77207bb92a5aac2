internal import Glibc

/// Writes a line to standard output and flushes it, even into a pipe.
package func writeLine(_ line: String) {
    print(line)
    fflush(nil)
}

/// Writes a line to standard error, in one write(2) if possible.
package func writeErrorLine(_ line: String) {
    var bytes = Array((line + "\n").utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { continue }
        // Standard error is gone, and there is no other place to report that.
        if count < 0 { return }
        bytes = bytes.dropFirst(count)
    }
}
