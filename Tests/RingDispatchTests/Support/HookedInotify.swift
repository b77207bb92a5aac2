import Ring

/// inotify, and what a test wants done meanwhile.
final class HookedInotify: FileWatcher {
    private let kernel: Inotify
    private let beforeWatch: @Sendable (FileChanges) -> Void
    private let afterClose: @Sendable () -> Void

    init(
        beforeWatch: @escaping @Sendable (FileChanges) -> Void = { _ in },
        afterClose: @escaping @Sendable () -> Void = {}
    ) throws(KernelError) {
        kernel = try Inotify(readsWait: true)
        self.beforeWatch = beforeWatch
        self.afterClose = afterClose
    }

    var descriptor: Int32 { kernel.descriptor }

    func watch(
        _ place: FilePlace, for changes: FileChanges, isAdding: Bool
    ) throws(KernelError) -> Int32 {
        beforeWatch(changes)
        return try kernel.watch(place, for: changes, isAdding: isAdding)
    }

    func unwatch(_ number: Int32) { kernel.unwatch(number) }

    func close() {
        kernel.close()
        afterClose()
    }
}
