internal import Glibc

/// The C library's functions for memory that somebody else allocated.
package enum Memory {
    /// Gives memory of malloc(3) and its kin back. free(3).
    package static func free(_ start: UnsafeRawPointer?) {
        Glibc.free(UnsafeMutableRawPointer(mutating: start))
    }

    /// Gives mapped pages back. munmap(2).
    package static func unmap(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        if munmap(start, bytes.count) == 0 { return }
        throw SystemError(
            call: "munmap", code: errno,
            remedy: "the bytes must begin where a page of a mapping does")
    }

    /// Whether two buffers of the same size hold the same bytes. memcmp(3).
    package static func areEqual(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
    ) -> Bool {
        guard one.count == other.count else { return false }
        guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
        return start == otherStart || memcmp(start, otherStart, one.count) == 0
    }
}
