import LinuxPlatform

/// An inotify that calls a test's closures during its calls.
final class HookedInotify: Inotify {
    private let kernel: InotifyDescriptor
    private let beforeWatch: @Sendable (InotifyMask) -> Void
    private let afterClose: @Sendable () -> Void

    init(
        beforeWatch: @escaping @Sendable (InotifyMask) -> Void = { _ in },
        afterClose: @escaping @Sendable () -> Void = {}
    ) throws(SystemError) {
        kernel = try InotifyDescriptor()
        self.beforeWatch = beforeWatch
        self.afterClose = afterClose
    }

    var descriptor: Int32 { kernel.descriptor }

    func watch(
        _ place: FilePlace, for mask: InotifyMask, isAdding: Bool
    ) throws(SystemError) -> Int32 {
        beforeWatch(mask)
        return try kernel.watch(place, for: mask, isAdding: isAdding)
    }

    func unwatch(_ number: Int32) { kernel.unwatch(number) }

    func close() {
        kernel.close()
        afterClose()
    }
}
