internal import CLinux
internal import Glibc

/// Calls that move parts of files, for senders of files.
package enum FileSlices {
    /// sendfile(2) from a place in a file to a stream socket, which must not block: the count of
    /// bytes that the socket took, 0 at the file's end, or a negated errno (`Sockets.wouldBlock`).
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

    /// pread(2): the count of bytes, 0 at the end, or a negated errno.
    package static func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, offset: Int
    ) -> Int {
        while true {
            let result = pread(file, buffer.baseAddress, buffer.count, off_t(offset))
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { return -Int(code) }
        }
    }

    /// Another descriptor of the same open file, which exec closes; a negated errno where there is
    /// none.
    package static func duplicate(_ file: Int32) -> Int32 {
        let copy = fcntl(file, F_DUPFD_CLOEXEC, 0)
        return copy >= 0 ? copy : -errno
    }
}
