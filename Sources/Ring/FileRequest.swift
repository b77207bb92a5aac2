internal import CRing
internal import Glibc

/// One read or write of a file, which a kernel carries out by itself or a thread in place.
package struct FileRequest: @unchecked Sendable {
    // Safety: whoever makes the request keeps the buffer alive until it has ended.
    package enum Kind: Sendable {
        case read
        case write
    }

    package let kind: Kind
    package let descriptor: Int32
    package let buffer: UnsafeMutableRawBufferPointer
    /// Where in the file; negative: at the file's own position, which moves on.
    package let offset: Int64

    package init(
        _ kind: Kind, descriptor: Int32, buffer: UnsafeMutableRawBufferPointer, offset: Int64
    ) {
        self.kind = kind
        self.descriptor = descriptor
        self.buffer = buffer
        self.offset = offset
    }

    /// Most bytes of one request (the kernel's own limit, MAX_RW_COUNT, is a little more).
    package static let maximumBytes = 1 << 30

    /// The result of a request that was cancelled before it began.
    package static let cancelled = -ECANCELED

    /// Carries the request out on the calling thread, which may block: the count of bytes, or a
    /// negated errno, as a kernel's completion has it.
    package func performBlocking() -> Int32 {
        while true {
            let result: Int
            let (bytes, count, position) = (buffer.baseAddress, buffer.count, Int(offset))
            switch (kind, offset < 0) {
            case (.read, true): result = read(descriptor, bytes, count)
            case (.read, false): result = pread(descriptor, bytes, count, position)
            case (.write, true): result = write(descriptor, bytes, count)
            case (.write, false): result = pwrite(descriptor, bytes, count, position)
            }
            if result >= 0 { return Int32(clamping: result) }
            if errno != EINTR { return -errno }
        }
    }
}
