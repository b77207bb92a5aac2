internal import LinuxPlatform

/// The service manager that started the process: systemd, or another one with its protocol.
/// sd_notify(3).
///
/// A unit with `Type=notify` counts as started once the process is ready, so that what depends on
/// it starts neither too early nor late.
public enum ServiceManager {
    /// What to tell the service manager. sd_notify(3).
    public enum State: Sendable, Hashable {
        /// The process serves its clients.
        case ready
        /// The process stops serving them.
        case stopping
        /// A line that describes what the process does, as `systemctl status` shows it.
        case status(String)

        var assignment: String {
            switch self {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            case .status(let text): "STATUS=" + text.filter { !$0.isNewline }
            }
        }
    }

    /// Tells the service manager. Never blocks.
    /// - Returns: false if no manager wants to know: `NOTIFY_SOCKET` is not set.
    /// - Throws: ``ServiceManagerError``, if the variable has an invalid value, or the manager
    ///   cannot be reached.
    @discardableResult
    public static func notify(_ state: State) throws -> Bool {
        guard let name = Environment.value(variable) else { return false }
        try send(state.assignment, to: name)
        return true
    }

    private static let variable = "NOTIFY_SOCKET"

    private static func send(_ text: String, to name: String) throws(ServiceManagerError) {
        let bytes = Array(name.utf8)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        guard isAbstract || bytes.first == UInt8(ascii: "/"),
            let address = isAbstract
                ? SocketAddress(unixAbstract: Array(bytes.dropFirst()))
                : SocketAddress(unixPath: bytes)
        else {
            throw ServiceManagerError(
                "\(variable) is '\(name)', which is not the name of a Unix socket (/path or "
                    + "@name); start the program from a service manager, or unset the variable")
        }
        do throws(SystemError) {
            let socket = try Datagrams.open(
                at: nil, connectingTo: address, DatagramSettings())
            defer { Descriptors.close(socket) }
            let sent = Array(text.utf8).withUnsafeBytes { Sockets.send(socket, $0) }
            guard sent >= 0 else { throw SystemError(call: "send", code: Int32(-sent)) }
        } catch {
            throw ServiceManagerError(
                "cannot send '\(text)' to the service manager, \(variable) '\(name)': \(error); "
                    + "set NotifyAccess= in the unit, or unset the variable")
        }
    }
}

/// Why a notification was not sent: the cause, then the remedy.
public struct ServiceManagerError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
