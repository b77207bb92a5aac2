internal import Glibc

/// A place in the file system, named through an open descriptor.
package enum FilePlace {
    /// The descriptor's own object.
    case object(descriptor: Int32)
    /// The parent directory of an open directory.
    case parent(ofDirectory: Int32)

    /// A path to exactly this object, even after a rename. It uses /proc/thread-self, because
    /// /proc/self/fd is empty once the main thread has ended.
    package var path: String {
        switch self {
        case .object(let descriptor): "/proc/thread-self/fd/\(descriptor)"
        case .parent(let descriptor): "/proc/thread-self/fd/\(descriptor)/.."
        }
    }

    /// Whether /proc is mounted.
    package static var canBeNamed: Bool { access("/proc/thread-self/fd", F_OK) == 0 }
    package static let procRemedy = "mount /proc: through it the kernel finds what to watch"
}
