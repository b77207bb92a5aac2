import Glibc

/// An error of the tests' own tools: a time-out, or a failed system call.
struct Trouble: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// A system call's failure, from errno.
    init(call: String) { self.init("\(call): \(String(cString: strerror(errno)))") }
}
