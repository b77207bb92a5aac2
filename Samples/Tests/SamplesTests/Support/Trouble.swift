import Glibc

/// What went wrong in the tests' own tools: a wait that was too long, a system call that failed.
struct Trouble: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// A system call's failure, from errno.
    init(call: String) { self.init("\(call): \(String(cString: strerror(errno)))") }
}
