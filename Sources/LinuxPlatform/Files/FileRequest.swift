internal import CLinux
internal import Glibc

/// A read from, a write to, or the opening of a file. A ring carries it out, or a thread that
/// blocks.
package struct FileRequest: Sendable {
    package enum Kind {
        /// Into memory, from a place in the file.
        case read(UnsafeMutableRawBufferPointer, offset: Int64)
        /// From pieces of memory, to a place in the file.
        case write(GatherList, offset: Int64)
        /// Of a path, with open(2)'s flags and mode; the result is the descriptor.
        case open(UnsafePointer<CChar>, flags: Int32, mode: UInt32)
    }

    // Safety: the caller keeps the memory alive until the request has ended.
    package nonisolated(unsafe) let kind: Kind
    /// The descriptor to read or write; unused for `open`.
    package let descriptor: Int32

    /// An offset that stands for the file's own position, which advances.
    package static let currentPosition: Int64 = -1

    package init(_ kind: Kind, descriptor: Int32 = -1) {
        self.kind = kind
        self.descriptor = descriptor
    }

    /// The result of a cancelled request.
    package static let cancelled = -ECANCELED

    /// Reads what is in memory, or opens a path that is: preadv2(2) with RWF_NOWAIT, openat2(2)
    /// with RESOLVE_CACHED. Returns the number of bytes, which may be less than asked for, or the
    /// descriptor; a negated errno if there are no descriptors. Nil if it is not in memory, is at
    /// the file's end, fails in another way, or would change a file.
    package func performWithoutWaiting() -> Int32? {
        let result: Int
        switch kind {
        case .read(let buffer, let offset):
            result = clinux_read_nowait(descriptor, buffer.baseAddress, buffer.count, offset)
            // Linux 5.9 and 5.10 may return 0 before the end: preadv2(2), BUGS.
            if result == 0 { return nil }
        case .open(let path, let flags, _):
            if flags & (O_CREAT | O_TRUNC) != 0 { return nil }
            result = Int(clinux_open_cached(path, flags))
            if result < 0, errno == EMFILE || errno == ENFILE { return -errno }
        case .write: return nil
        }
        return result < 0 ? nil : Int32(clamping: result)
    }

    /// Carries the request out on the calling thread, which may block. Returns the number of bytes
    /// or a negated errno, like a completion. Not for a write to a pipe without readers: see
    /// `StreamDescriptor`.
    package func performBlocking() -> Int32 {
        while true {
            let result: Int
            switch kind {
            case .read(let buffer, let offset):
                let (bytes, count) = (buffer.baseAddress, buffer.count)
                result =
                    offset < 0
                    ? read(descriptor, bytes, count) : pread(descriptor, bytes, count, Int(offset))
            case .write(let list, let offset):
                result =
                    offset < 0
                    ? writev(descriptor, list.start, list.count)
                    : pwritev(descriptor, list.start, list.count, Int(offset))
            case .open(let path, let flags, let mode):
                result = Int(open(path, flags, mode))
            }
            if result >= 0 { return Int32(clamping: result) }
            if errno != EINTR { return -errno }
        }
    }
}
