internal import ArgumentParser

/// The runtime's I/O back end (`RINGDISPATCH_BACKEND`).
package enum Backend: String, ExpressibleByArgument, CaseIterable {
    /// io_uring, or epoll where the kernel refuses io_uring.
    case auto
    case ioUring = "io_uring"
    case epoll
}
