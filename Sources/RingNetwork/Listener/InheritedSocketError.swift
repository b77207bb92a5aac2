/// A socket that was to be inherited and cannot be used: which one, why, and what to do about it.
public struct InheritedSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Reason: Sendable, Hashable {
        /// The number stands for nothing.
        case notOpen
        /// A file, a FIFO, or something else that is no socket.
        case notSocket
        /// A socket of another type than SOCK_STREAM.
        case notStream
        /// A stream socket, but listen(2) was not called, or it is connected.
        case notListening
        /// An environment variable has no sensible value.
        case malformedVariable
    }

    public let reason: Reason
    /// What is wrong, and the remedy, in one line.
    public let description: String

    init(variable: String, _ value: String) {
        reason = .malformedVariable
        description =
            "\(variable) is '\(value)', which is no number of the right kind; start the program "
            + "by a service manager, or unset the variable"
    }

    init(descriptor: Int32, name: String, _ reason: Reason) {
        self.reason = reason
        let (cause, remedy) =
            switch reason {
            case .notSocket:
                ("is no socket", "give ListenStream= in the socket unit")
            case .notStream:
                ("is no stream socket", "give ListenStream= in the socket unit")
            case .notListening:
                ("does not listen", "give Accept=no in the socket unit, or call listen(2) before")
            case .notOpen, .malformedVariable:
                ("is not open", "pass it on without FD_CLOEXEC, and close it nowhere else")
            }
        description =
            "the inherited descriptor \(descriptor) ('\(name)') \(cause); \(remedy)"
    }
}
