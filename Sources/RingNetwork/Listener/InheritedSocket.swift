internal import Ring

/// A socket that this program was started with: systemd's socket activation, or a predecessor that
/// hands its listening sockets over. For ``Listener``.
public struct InheritedSocket: Sendable, Hashable {
    public let descriptor: Int32
    /// FileDescriptorName= of the socket's unit; `unknown` where it has none.
    public let name: String

    public init(descriptor: Int32, name: String = "unknown") {
        self.descriptor = descriptor
        self.name = name
    }

    /// Where it listens; nil when that is no endpoint.
    public var endpoint: Endpoint? {
        Sockets.localAddress(of: descriptor).flatMap { Endpoint($0) }
    }

    /// The sockets that the environment variables LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES name;
    /// none when they are not set, or meant for another process. They are set close-on-exec, so
    /// that children do not inherit them. sd_listen_fds(3).
    ///
    /// - Parameter unsetsVariables: removes the variables, so that neither a second call nor a
    ///   child finds them. No other thread may use the environment meanwhile.
    public static func all(
        unsetsVariables: Bool = false
    ) throws(InheritedSocketError) -> [InheritedSocket] {
        defer {
            if unsetsVariables { for name in variables { Environment.unset(name) } }
        }
        return try all(
            processIdentifier: InheritedDescriptor.processIdentifier, first: firstDescriptor
        ) { Environment.value($0) }
    }

    private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"]

    /// SD_LISTEN_FDS_START.
    private static let firstDescriptor: Int32 = 3

    /// - Parameter variable: the environment.
    package static func all(
        processIdentifier: Int32, first: Int32, _ variable: (String) -> String?
    ) throws(InheritedSocketError) -> [InheritedSocket] {
        guard let process = variable("LISTEN_PID"), let count = variable("LISTEN_FDS") else {
            return []
        }
        guard let process = Int32(process), process > 0 else {
            throw InheritedSocketError(variable: "LISTEN_PID", process)
        }
        guard process == processIdentifier else { return [] }
        guard let count = Int32(count), count >= 0, count <= Int32.max - first else {
            throw InheritedSocketError(variable: "LISTEN_FDS", count)
        }
        let names = (variable("LISTEN_FDNAMES") ?? "").split(
            separator: ":", omittingEmptySubsequences: false)
        // Before any of them is looked at: what one call has found, children must not.
        for descriptor in first..<first + count { InheritedDescriptor.closeOnExec(descriptor) }
        return (first..<first + count).enumerated().map { index, descriptor in
            let name = index < names.count && !names[index].isEmpty ? names[index] : "unknown"
            return InheritedSocket(descriptor: descriptor, name: String(name))
        }
    }

    /// Whether a listener can take it over.
    func check() throws(InheritedSocketError) {
        let reason: InheritedSocketError.Reason
        switch InheritedDescriptor.kind(of: descriptor) {
        case .listener: return
        case .closed: reason = .notOpen
        case .notSocket: reason = .notSocket
        case .otherType: reason = .notStream
        case .notListening: reason = .notListening
        }
        throw InheritedSocketError(self, reason)
    }
}

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

    init(_ socket: InheritedSocket, _ reason: Reason) {
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
            "the inherited descriptor \(socket.descriptor) ('\(socket.name)') \(cause); \(remedy)"
    }
}
