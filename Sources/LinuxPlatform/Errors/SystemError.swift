internal import Glibc

/// A failed system call: its name, its `errno`, and a remedy for the user.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    package let call: String
    package let code: Int32
    package let remedy: String?

    package init(call: String, code: Int32, remedy: String? = nil) {
        self.call = call
        self.code = code
        self.remedy = remedy
    }

    /// With a remedy if the call failed because no descriptor was free.
    init(opening call: String, code: Int32) {
        let isShort = ErrorCode.isDescriptorShortage(code)
        self.init(call: call, code: code, remedy: isShort ? ErrorCode.descriptorRemedy(code) : nil)
    }

    package var description: String {
        let cause = "\(call) failed: \(SystemError.text(of: code))"
        return remedy.map { "\(cause); \($0)" } ?? cause
    }

    /// The text of strerror(3) and the number.
    package static func text(of code: Int32) -> String {
        let text = strerror(code).map { String(cString: $0) } ?? "unknown error"
        return "\(text) (errno \(code))"
    }
}

/// Ends the process if a call on one of the library's own descriptors has failed because that is
/// closed.
func requireOpen(_ call: String, _ result: Int) {
    if result < 0 && errno == EBADF { fatalSystemError(SystemError(call: call, code: EBADF)) }
}

/// Repeats `body` after EINTR, and throws the `errno` if it returns -1.
@discardableResult
func checked(_ call: String, _ body: () -> Int32) throws(SystemError) -> Int32 {
    while true {
        let result = body()
        if result >= 0 { return result }
        let code = errno
        if code == EINTR { continue }
        throw SystemError(opening: call, code: code)
    }
}
