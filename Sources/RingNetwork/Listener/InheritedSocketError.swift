/// Why an inherited socket cannot be used, and the remedy.
public struct InheritedSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was wrong, in a form that a program can test.
    public enum Reason: Sendable, Hashable {
        /// The number is not an open descriptor.
        case notOpen
        /// A file, a FIFO, or another descriptor that is not a socket.
        case notSocket
        /// A socket of another type than SOCK_STREAM.
        case notStream
        /// A stream socket that is connected, or on which listen(2) was not called.
        case notListening
        /// An environment variable has an invalid value.
        case malformedVariable
    }

    /// For programs; `description` is for people.
    public let reason: Reason
    /// The cause and the remedy, in one line.
    public let description: String

    init(variable: String, _ value: String) {
        reason = .malformedVariable
        description =
            "\(variable) is '\(value)', which is not a valid number; start the program from "
            + "a service manager, or unset the variable"
    }

    init(descriptor: Int32, name: String, _ reason: Reason) {
        self.reason = reason
        let (cause, remedy) =
            switch reason {
            case .notSocket:
                ("is not a socket", "set ListenStream= in the socket unit")
            case .notStream:
                ("is not a stream socket", "set ListenStream= in the socket unit")
            case .notListening:
                ("does not listen", "set Accept=no in the socket unit, or call listen(2) first")
            case .notOpen, .malformedVariable:
                ("is not open", "pass it on without FD_CLOEXEC, and do not close it elsewhere")
            }
        description =
            "the inherited descriptor \(descriptor) ('\(name)') \(cause); \(remedy)"
    }
}
