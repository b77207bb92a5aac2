internal import CLinux
internal import Glibc

/// An io_uring instance that sends on many stream sockets with one system call. One thread at a
/// time uses it.
///
/// Each send is tried once, during the call, and nothing stays pending: so the sends belong to no
/// thread. The kernel posts completions only for sends that did not take all bytes.
package final class SendRing {
    private let ring: OwnedRing

    /// Most sends of one call.
    package static let capacity = 64

    package init() throws(SystemError) {
        ring = try OwnedRing(entries: UInt32(SendRing.capacity), io_uring_params())
    }

    /// Prepares a send. The bytes stay where they are until `submit` returns.
    /// - Parameter index: identifies it in `submit`.
    package func prepare(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, index: Int) {
        guard let entry = io_uring_get_sqe(ring.start) else {
            preconditionFailure("too many sends")
        }
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
            let left = clinux_submit(ring.start)
            if left == 0 { break }
            // The kernel may take a part of the entries, or none for now.
            guard left > 0 || EnterRefusal.pause(after: -left) else {
                fatalSystemError(SystemError(call: "io_uring_enter", code: -left))
            }
        }
        var completion = io_uring_cqe()
        while clinux_reap(ring.start, &completion) {
            failed(Int(completion.user_data), completion.res)
        }
    }
}
