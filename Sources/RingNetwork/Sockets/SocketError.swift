public import RingDispatch

/// A failed call on a socket.
public struct SocketError: Error, Hashable {
    /// The system call or the step, such as `listen`.
    public let call: String
    /// The `errno`, such as `.connectionReset`.
    public let code: ErrorNumber
    /// Advice for the person in charge; empty if there is none.
    public let remedy: String

    package init(_ call: String, _ code: Int32, remedy: String = "") {
        self.call = call
        self.code = ErrorNumber(rawValue: code)
        self.remedy = remedy
    }
}

extension SocketError: CustomStringConvertible {
    public var description: String {
        let cause = "\(call) failed: \(code)"
        return remedy.isEmpty ? cause : "\(cause); \(remedy)"
    }
}
