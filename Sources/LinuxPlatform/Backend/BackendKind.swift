/// The kernel interface of the loops' back ends.
package enum BackendKind: String, Sendable, CaseIterable {
    case ioUring = "io_uring"
    case epoll
}
