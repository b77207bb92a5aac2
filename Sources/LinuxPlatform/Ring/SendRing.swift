internal import CLinux
internal import Glibc

/// An io_uring instance that sends on many stream sockets with one system call. One thread at a
/// time uses it.
///
/// Each send is tried once, during the call, and nothing stays pending: so the sends belong to no
/// thread. The kernel posts completions only for sends that did not take all bytes.
package final class SendRing {
    private let ring: UnsafeMutablePointer<io_uring>

    /// Most sends of one call.
    package static let capacity = 64

    package init() throws(SystemError) {
        let ring = UnsafeMutablePointer<io_uring>.allocate(capacity: 1)
        ring.initialize(to: io_uring())
        var parameters = io_uring_params()
        let result = clinux_open_ring(UInt32(SendRing.capacity), ring, &parameters)
        if result < 0 {
            ring.deallocate()
            throw UringProbe.setupError(code: -result)
        }
        self.ring = ring
    }

    deinit {
        clinux_close_ring(ring)
        ring.deallocate()
    }

    /// Prepares a send. The bytes stay where they are until `submit` returns.
    /// - Parameter index: identifies it in `submit`.
    package func prepare(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, index: Int) {
        guard let entry = io_uring_get_sqe(ring) else { preconditionFailure("too many sends") }
        // Without MSG_WAITALL a send that took a part of the bytes would count as a success.
        io_uring_prep_send(
            entry, descriptor, bytes.baseAddress, bytes.count,
            Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL) | Int32(MSG_WAITALL))
        entry.pointee.flags |= UInt8(CLINUX_SKIP_SUCCESS)
        entry.pointee.user_data = UInt64(index)
    }

    /// Carries out the prepared sends.
    /// - Parameter failed: called for each that did not take all bytes, with their number or a
    ///   negated errno.
    package func submit(failed: (_ index: Int, _ result: Int32) -> Void) {
        while true {
            let left = clinux_submit(ring)
            if left == 0 { break }
            // The kernel may take a part of the entries, or none for now.
            guard left > 0 || EnterRefusal.pause(after: -left) else {
                fatalSystemError(SystemError(call: "io_uring_enter", code: -left))
            }
        }
        var completion = io_uring_cqe()
        while clinux_reap(ring, &completion) {
            failed(Int(completion.user_data), completion.res)
        }
    }
}
