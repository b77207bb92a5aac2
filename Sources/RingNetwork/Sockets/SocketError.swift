internal import LinuxPlatform

/// A call on a socket that failed.
public struct SocketError: Error, Hashable {
    /// The system call or the step, such as `listen`.
    public let call: String
    /// The error's number, such as ECONNRESET. errno(3).
    public let code: Int32
    /// What a person can do about it; empty where nothing is known.
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
