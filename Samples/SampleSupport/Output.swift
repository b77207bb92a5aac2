internal import Glibc

/// One line on standard output, at once, even into a pipe.
package func writeLine(_ line: String) {
    print(line)
    fflush(nil)
}

/// One line on standard error, in one piece.
package func writeErrorLine(_ line: String) {
    var bytes = Array((line + "\n").utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { continue }
        // Nobody listens: there is no other place to say so.
        if count < 0 { return }
        bytes = bytes.dropFirst(count)
    }
}
