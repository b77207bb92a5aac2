internal import CLinux
internal import Glibc

/// Calls that transfer parts of a file, for the code that sends files.
package enum FileSlices {
    /// sendfile(2) from `offset` in a file to a non-blocking stream socket. Returns the number of
    /// bytes that the socket took, 0 at the end of the file, or a negated errno
    /// (`Sockets.wouldBlock`).
    package static func send(
        _ socket: Int32, file: Int32, offset: Int, count: Int
    ) -> Int {
        PipeSignal.blocked {
            while true {
                var place = off_t(offset)
                let result = sendfile(socket, file, &place, count)
                if result >= 0 { return result }
                let code = errno
                if code == EPIPE { return PipeSignal.consume(-Int(code)) }
                if code != EINTR { return -Int(code) }
            }
        }
    }

    /// Duplicates a descriptor, with FD_CLOEXEC set. Returns the new descriptor or a negated errno.
    package static func duplicate(_ file: Int32) -> Int32 {
        let copy = fcntl(file, F_DUPFD_CLOEXEC, 0)
        return copy >= 0 ? copy : -errno
    }
}
