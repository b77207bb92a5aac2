/// Which kernel interface serves the lanes.
package enum Backend: String, Sendable, CaseIterable {
    case ioUring = "io_uring"
    case epoll
}
