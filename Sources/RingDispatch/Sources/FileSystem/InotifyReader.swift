internal import LinuxPlatform

/// Calls a function when an inotify instance has events.
final class InotifyReader: DescriptorWatch, @unchecked Sendable {
    // Safety: immutable.
    private let read: @Sendable () -> Bool

    /// - Parameter read: called on the queue. Reads until no events are left, or returns true to be
    ///   called again.
    init(_ inotify: any Inotify, queue: DispatchQueue, read: @escaping @Sendable () -> Bool) {
        self.read = read
        super.init(descriptor: inotify.descriptor, queue: queue, events: PollEvents.readable)
    }

    override func ready(_ events: UInt32, _ context: Context) -> Bool { read() }
}
