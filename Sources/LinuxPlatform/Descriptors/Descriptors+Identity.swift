internal import Glibc

extension Descriptors {
    /// A number for the file behind the descriptor (st_ino): it tells whether the descriptor's
    /// number names another file by now. For sockets; nil if the number is not open. fstat(2).
    package static func identity(_ descriptor: Int32) -> UInt64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return UInt64(status.st_ino)
    }
}
