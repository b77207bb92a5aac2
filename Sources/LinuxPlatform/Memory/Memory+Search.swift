internal import Glibc

extension Memory {
    /// Index of the first byte that equals `byte`. memchr(3).
    package static func firstIndex(of byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress,
            let found = memchr(start, Int32(byte), bytes.count)
        else { return nil }
        return start.distance(to: UnsafeRawPointer(found))
    }
}
