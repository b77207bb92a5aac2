internal import CLinux
internal import Glibc
internal import Synchronization

/// Posts a completion to another thread's ring (IORING_OP_MSG_RING), which ends its wait.
///
/// Unlike an eventfd it needs no request in flight on the other ring. Such a request would belong
/// to the thread that submitted it, which may be stuck in a handler. From Linux 6.13 on the sender
/// needs no ring (IORING_REGISTER_SEND_MSG_RING); before, all senders share one small ring under a
/// lock.
package final class Doorbell: Sendable {
    private let shared: Mutex<SendingRing?>

    /// Safety: the pointer is only used inside the lock.
    private struct SendingRing: @unchecked Sendable {
        let ring: UnsafeMutablePointer<io_uring>
    }

    /// - Parameter withoutRegister: use the shared ring even where the kernel needs none.
    package init(withoutRegister: Bool = false) throws(SystemError) {
        let ring = UnsafeMutablePointer<io_uring>.allocate(capacity: 1)
        ring.initialize(to: io_uring())
        var parameters = io_uring_params()
        let result = clinux_open_ring(4, ring, &parameters)
        guard result == 0 else {
            ring.deallocate()
            throw UringProbe.setupError(code: -result)
        }
        if !withoutRegister, clinux_send_msg_ring(ring.pointee.ring_fd, 0) == 0 {
            Doorbell.close(ring)
            shared = Mutex(nil)
        } else {
            shared = Mutex(SendingRing(ring: ring))
        }
    }

    deinit {
        shared.withLock { sender in
            if let ring = sender?.ring { Doorbell.close(ring) }
        }
    }

    private static func close(_ ring: UnsafeMutablePointer<io_uring>) {
        clinux_close_ring(ring)
        ring.deallocate()
    }

    package func ring(_ target: Int32) {
        let sent = shared.withLock { sender -> Bool in
            guard let ring = sender?.ring else { return false }
            guard let entry = io_uring_get_sqe(ring) else { return true }
            io_uring_prep_msg_ring(entry, target, 0, 0, 0)
            clinux_enter(ring, 1, nil)
            var done = io_uring_cqe()
            while clinux_reap(ring, &done, 1) > 0 {}
            return true
        }
        if !sent {
            // Ignore a full completion queue: its owner has completions to reap.
            _ = clinux_send_msg_ring(target, 0)
        }
    }
}
