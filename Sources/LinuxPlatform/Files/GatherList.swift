internal import CLinux
internal import Glibc

/// Pieces of memory for one write, in the layout of struct iovec.
package final class GatherList {
    // Safety: nothing changes after `init`.
    let start: UnsafeMutablePointer<iovec>
    let count: Int32

    /// Most pieces of one call, far below IOV_MAX, which is 1024.
    package static let mostPieces = 64

    /// - Parameter limit: most bytes; the list leaves out the rest.
    package init(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>, limit: Int) {
        start = .allocate(capacity: max(1, pieces.count))
        count = GatherList.fill(start, pieces, limit)
    }

    deinit { start.deallocate() }

    /// Writes the addresses and sizes of the pieces to `list`. Returns the number of pieces.
    static func fill(
        _ list: UnsafeMutablePointer<iovec>, _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>,
        _ limit: Int
    ) -> Int32 {
        var count: Int32 = 0
        var bytes = 0
        for piece in pieces where bytes < limit {
            let length = min(piece.count, limit - bytes)
            list[Int(count)] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: piece.baseAddress), iov_len: length)
            count += 1
            bytes += length
        }
        return count
    }
}
