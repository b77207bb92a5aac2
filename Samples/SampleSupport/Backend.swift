internal import ArgumentParser

/// Which kernel interface the runtime uses (`RINGDISPATCH_BACKEND`).
package enum Backend: String, ExpressibleByArgument, CaseIterable {
    /// io_uring, or epoll where io_uring is refused.
    case auto
    case ioUring = "io_uring"
    case epoll
}
