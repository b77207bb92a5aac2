internal import LinuxPlatform

/// A listening socket that this process inherited, from systemd (socket activation) or from a
/// predecessor. For ``Listener``.
public struct InheritedSocket: Sendable, Hashable {
    /// The number of the descriptor. A listener that adopts the socket closes it.
    public let descriptor: Int32
    /// FileDescriptorName= of the socket unit; `unknown` if it has none.
    public let name: String

    /// Describes a descriptor; it is checked when a listener adopts it.
    /// - Parameters:
    ///   - descriptor: a stream socket that listens.
    ///   - name: for messages, and to tell several sockets apart.
    public init(descriptor: Int32, name: String = "unknown") {
        self.descriptor = descriptor
        self.name = name
    }

    /// The endpoint it listens on; nil if the address is of another family.
    public var endpoint: Endpoint? {
        SocketEndpoints.local(of: descriptor)
    }

    /// The sockets named by the environment variables LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES;
    /// none if the variables are unset or meant for another process. The sockets are set
    /// close-on-exec, so children do not inherit them. sd_listen_fds(3).
    ///
    /// - Parameter unsetsVariables: removes the variables, so neither a second call nor a child
    ///   finds them. No other thread may use the environment during the call.
    /// - Throws: ``InheritedSocketError``, if a variable is invalid, or a descriptor is not open. A
    ///   listener checks the socket that it adopts.
    public static func all(
        unsetsVariables: Bool = false
    ) throws -> [InheritedSocket] {
        defer {
            if unsetsVariables { for name in variables { Environment.unset(name) } }
        }
        return try all(
            processIdentifier: Processes.current, first: firstDescriptor
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
        var sockets: [InheritedSocket] = []
        for descriptor in first..<first + count {
            let name = names.dropFirst(sockets.count).first ?? ""
            let socket = InheritedSocket(
                descriptor: descriptor, name: name.isEmpty ? "unknown" : String(name))
            // The count may be far too high.
            guard Descriptors.isOpen(descriptor) else {
                throw InheritedSocketError(descriptor: descriptor, name: socket.name, .notOpen)
            }
            Descriptors.closeOnExec(descriptor)
            sockets.append(socket)
        }
        return sockets
    }

    /// Throws unless a listener can adopt the socket.
    func check() throws(InheritedSocketError) {
        if Sockets.isListening(descriptor), Sockets.isStream(descriptor) == true { return }
        let reason: InheritedSocketError.Reason =
            switch Sockets.isStream(descriptor) {
            case nil: Descriptors.isOpen(descriptor) ? .notSocket : .notOpen
            case false?: .notStream
            case true?: .notListening
            }
        throw InheritedSocketError(descriptor: descriptor, name: name, reason)
    }
}
