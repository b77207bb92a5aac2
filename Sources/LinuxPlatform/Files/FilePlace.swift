internal import Glibc

/// Where a descriptor leads to.
package enum FilePlace {
    /// The object itself.
    case object(descriptor: Int32)
    /// The directory that holds the name of an open directory.
    case parent(ofDirectory: Int32)

    /// A path that leads to the very object, whatever its name is by now. The thread's own folder,
    /// because the process's one is empty once the main thread has ended.
    package var path: String {
        switch self {
        case .object(let descriptor): "/proc/thread-self/fd/\(descriptor)"
        case .parent(let descriptor): "/proc/thread-self/fd/\(descriptor)/.."
        }
    }

    /// Whether /proc can be used at all.
    package static var canBeNamed: Bool { access("/proc/thread-self/fd", F_OK) == 0 }
    package static let procRemedy = "mount /proc: through it the kernel finds what to watch"
}
