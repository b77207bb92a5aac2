import Glibc
import LinuxPlatform

/// inotify that refuses what the test wants to see refused, and counts what is open.
final class RefusingInotify: Inotify {
    struct Rules: Sendable {
        /// The `errno` for each watch but those in `allowed`; nil: all are granted.
        var code: Int32?
        /// Watches by their place in the order in which they are asked for.
        var allowed = 0..<0
        /// How many were asked for so far.
        var asked = 0
        var openInstances = 0
    }

    private let kernel: InotifyDescriptor
    private let rules: Watched<Rules>

    init(_ rules: Watched<Rules>) throws(SystemError) {
        kernel = try InotifyDescriptor(readsWait: false)
        self.rules = rules
        rules.update { $0.openInstances += 1 }
    }

    var descriptor: Int32 { kernel.descriptor }

    func watch(
        _ place: FilePlace, for mask: InotifyMask, isAdding: Bool
    ) throws(SystemError) -> Int32 {
        let refusal = rules.update { rules -> Int32? in
            defer { rules.asked += 1 }
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
