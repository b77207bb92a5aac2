internal import Glibc
internal import SystemPackage

/// Writes a line to standard output and flushes it, even into a pipe.
package func writeLine(_ line: String) {
    print(line)
    fflush(nil)
}

/// Writes a line to standard output, and fails if it does not get there. That its reader is gone is
/// no failure.
package func writeResult(_ line: String) throws {
    do {
        try FileDescriptor.standardOutput.writeAll((line + "\n").utf8)
    } catch Errno.brokenPipe {
    } catch {
        throw Failure("standard output: writing failed (\(error))")
    }
}

/// Writes a line to standard error, in one write(2) if possible.
package func writeErrorLine(_ line: String) {
    // If standard error is gone, there is no other place to report that.
    _ = try? FileDescriptor.standardError.writeAll((line + "\n").utf8)
}
