import Glibc
import LinuxPlatform

/// An inotify whose calls fail as the test demands, and which counts open instances.
final class RefusingInotify: Inotify {
    struct Rules: Sendable {
        /// The `errno` for each watch but those in `allowed`; nil: all are granted.
        var code: Int32?
        /// The calls that succeed nevertheless, by their index.
        var allowed = 0..<0
        /// Nil: each path; otherwise only this one, however it is named.
        var refused: String?
        /// Without it, no watch of a descriptor is made.
        var hasProc = true
        /// The number of calls so far.
        var asked = 0
        var openInstances = 0
    }

    private let kernel: InotifyDescriptor
    private let rules: Watched<Rules>

    static func maker(_ rules: Watched<Rules>) -> () throws(SystemError) -> any Inotify {
        { () throws(SystemError) in try RefusingInotify(rules) }
    }

    private init(_ rules: Watched<Rules>) throws(SystemError) {
        kernel = try InotifyDescriptor()
        self.rules = rules
        rules.update { $0.openInstances += 1 }
    }

    var descriptor: Int32 { kernel.descriptor }

    func watch(
        _ place: FilePlace, for mask: InotifyMask, isAdding: Bool
    ) throws(SystemError) -> Int32 {
        let path = place.withPath { path in
            guard let real = realpath(path, nil) else { return "" }
            defer { free(real) }
            return String(cString: real)
        }
        let refusal = rules.update { rules -> Int32? in
            defer { rules.asked += 1 }
            if case .object = place, !rules.hasProc { return ENOENT }
            if let refused = rules.refused { return path == refused ? rules.code : nil }
            return rules.allowed.contains(rules.asked) ? nil : rules.code
        }
        if let refusal { throw SystemError(call: "inotify_add_watch", code: refusal) }
        return try kernel.watch(place, for: mask, isAdding: isAdding)
    }

    func unwatch(_ number: Int32) { kernel.unwatch(number) }

    func close() {
        kernel.close()
        rules.update { $0.openInstances -= 1 }
    }
}
