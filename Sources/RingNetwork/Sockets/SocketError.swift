internal import LinuxPlatform

/// A failed call on a socket.
public struct SocketError: Error, Hashable {
    /// The system call or the step, such as `listen`.
    public let call: String
    /// The errno value, such as ECONNRESET. errno(3).
    public let code: Int32
    /// Advice for the person in charge; empty if there is none.
    public let remedy: String

    package init(_ call: String, _ code: Int32, remedy: String = "") {
        self.call = call
        self.code = code
        self.remedy = remedy
    }
}

extension SocketError: CustomStringConvertible {
    public var description: String {
        let cause = "\(call) failed: \(SystemError.text(of: code)) (errno \(code))"
        return remedy.isEmpty ? cause : "\(cause); \(remedy)"
    }
}
