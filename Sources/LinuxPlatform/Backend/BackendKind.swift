/// Which kernel interface serves the loops.
package enum BackendKind: String, Sendable, CaseIterable {
    case ioUring = "io_uring"
    case epoll
}
