/// The kernel interface of the loops: io_uring where it works, epoll alone where it is refused.
package struct Backend: Sendable {
    package enum Kind: String, Sendable {
        case ioUring = "io_uring"
        case epoll
    }

    package let kind: Kind
    /// Why this back end was chosen, for the log.
    package let reason: String

    /// - Parameter requested: the user's choice in RINGDISPATCH_BACKEND; nil: io_uring if the
    ///   kernel allows it.
    /// - Throws: if io_uring was requested and is refused.
    package init(requested: Kind?) throws(SystemError) {
        if requested == .epoll {
            (kind, reason) = (.epoll, "as requested")
            return
        }
        do throws(SystemError) {
            try UringProbe.check()
            kind = .ioUring
            reason = requested == .ioUring ? "as requested" : "the kernel allows it"
        } catch {
            if requested == .ioUring { throw error }
            (kind, reason) = (.epoll, error.description)
        }
    }

    /// - Returns: nil where io_uring is not used.
    package func makeRing() throws(SystemError) -> Ring? {
        kind == .ioUring ? try Ring() : nil
    }

    /// - Returns: nil where io_uring is not used.
    package func makeSendRing() throws(SystemError) -> SendRing? {
        #if SIMULATION
        return try SendRing()
        #else
        return kind == .ioUring ? try SendRing() : nil
        #endif
    }
}
