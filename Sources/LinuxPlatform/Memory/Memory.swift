internal import Glibc

/// C library functions for memory that other code has allocated.
package enum Memory {
    /// Frees memory of malloc(3) and related functions. free(3).
    package static func free(_ start: UnsafeRawPointer?) {
        Glibc.free(UnsafeMutableRawPointer(mutating: start))
    }

    /// Unmaps pages. munmap(2).
    package static func unmap(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        if munmap(start, bytes.count) == 0 { return }
        throw SystemError(
            call: "munmap", code: errno,
            remedy: "the bytes must begin where a page of a mapping does")
    }

    /// Whether two buffers hold the same bytes. memcmp(3).
    package static func areEqual(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
    ) -> Bool {
        guard one.count == other.count else { return false }
        guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
        return start == otherStart || memcmp(start, otherStart, one.count) == 0
    }

    /// Index of the first byte that equals `byte`. memchr(3).
    package static func firstIndex(of byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress,
            let found = memchr(start, Int32(byte), bytes.count)
        else { return nil }
        return start.distance(to: UnsafeRawPointer(found))
    }
}
