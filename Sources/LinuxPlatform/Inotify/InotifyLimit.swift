/// One of the kernel's limits on inotify.
package enum InotifyLimit: String, Sendable {
    case watches = "this user's inotify watches"
    case instances = "this user's inotify instances"
    case queuedEvents = "queued inotify events"

    /// The machine's limit and, if there is one, the limit of the user namespace (of a container,
    /// for example).
    private var keys: [String] {
        switch self {
        case .watches: ["fs.inotify.max_user_watches", "user.max_inotify_watches"]
        case .instances: ["fs.inotify.max_user_instances", "user.max_inotify_instances"]
        case .queuedEvents: ["fs.inotify.max_queued_events"]
        }
    }

    private static func value(_ key: String) -> Int? {
        let path = key.split(separator: ".").joined(separator: "/")
        return SystemFile.firstLine(of: "/proc/sys/\(path)").flatMap { Int($0) }
    }

    /// Whether `inotify_init1` failed because of the limit on instances. EMFILE stands for two
    /// limits, but only a process without free descriptors also fails to open a file.
    package static func isInstanceShortage(_ code: Int32) -> Bool {
        guard code == ErrorCode.processDescriptors,
            let place = try? Descriptors.openPlace(path: "/")
        else { return false }
        _ = OwnedDescriptor(adopting: place)
        return true
    }

    /// Names the lowest limit that applies, its value, and the command that raises it.
    package var remedy: String {
        let found = keys.compactMap { key in InotifyLimit.value(key).map { (key, $0) } }
        guard let (key, limit) = found.min(by: { $0.1 < $1.1 }) else {
            return "the limit on \(rawValue) is reached; raise \(keys[0])"
        }
        return "the limit on \(rawValue) is reached (\(key) = \(limit)); "
            + "raise it: sysctl \(key)=\(max(1, limit) * 4)"
    }
}
