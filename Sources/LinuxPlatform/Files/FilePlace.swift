internal import Glibc

/// A place in the file system.
package enum FilePlace {
    /// An open descriptor's own object.
    case object(descriptor: Int32)
    /// The parent directory of an open directory.
    case parent(ofDirectory: Int32)
    /// What is at a path, which ends in a zero byte. The kernel finds it faster than a
    /// descriptor's object.
    case path([UInt8], followsLink: Bool)

    /// Calls `body` with a path to the place. That of a descriptor leads to exactly its object,
    /// even after a rename. It uses /proc/thread-self, because /proc/self/fd is empty once the main
    /// thread has ended.
    package func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        switch self {
        case .object(let descriptor): "/proc/thread-self/fd/\(descriptor)".withCString(body)
        case .parent(let descriptor): "/proc/thread-self/fd/\(descriptor)/..".withCString(body)
        case .path(let path, _):
            path.withUnsafeBytes { body($0.bindMemory(to: CChar.self).baseAddress!) }
        }
    }

    /// Whether /proc is mounted.
    package static var canBeNamed: Bool { access("/proc/thread-self/fd", F_OK) == 0 }
    package static let procRemedy = "mount /proc: through it the kernel finds what to watch"
}
