/// The kernel interface of the loops' back ends.
package enum BackendKind: String, Sendable {
    case ioUring = "io_uring"
    case epoll
}
