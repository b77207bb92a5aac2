internal import Glibc

/// Refusals of io_uring_enter(2) that pass. The entries stay in the submission queue until the next
/// call.
enum EnterRefusal {
    /// Lets time pass before the next call, so that no thread spins while memory is short. Returns
    /// false for an error that would come again.
    static func pause(after code: Int32) -> Bool {
        switch code {
        case EINTR: break
        // Memory is short for now, or the completion queue is full.
        case EAGAIN, EBUSY, ENOMEM: Threads.sleep(milliseconds: 1)
        default: return false
        }
        return true
    }
}
