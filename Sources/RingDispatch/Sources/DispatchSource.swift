internal import LinuxPlatform

/// Submits handlers to a queue when events happen: on descriptors, timers, processes or signals, or
/// triggered by the program. `dispatch_source_t`.
///
/// The `make...Source` functions return an inactive source. Keep a reference while you want its
/// events: a source whose last reference goes ends without a call of its cancel handler. If it is
/// inactive or suspended then, the process ends.
public class DispatchSource: DispatchObject, DispatchSourceProtocol, @unchecked Sendable {
    // Safety: `core` synchronizes itself by its state word and locks; `setTarget` ends the process
    // once the source is active, in every build.
    final let core: SourceCore

    init(core: SourceCore) {
        self.core = core
    }

    deinit {
        let state = core.current
        if state.isInactive || state.suspends > 0 {
            fatalMisuse(
                "a \(core.purpose) on queue '\(core.queue.label)' was released while "
                    + (state.isInactive ? "inactive: activate" : "suspended: resume")
                    + " it before its last reference goes")
        }
        if !state.isDone { core.cancel(isAbandoned: true) }
    }

    public override final func activate() { core.activate() }
    public override final func suspend() { core.suspend() }
    public override final func resume() { core.resume() }
    public final func cancel() { core.cancel() }
    public final var isCancelled: Bool { core.current.isCancelled }

    public override final func setTarget(queue: DispatchQueue?) {
        guard core.current.isInactive else {
            fatalMisuse(
                "cannot change the target of a \(core.purpose) on queue '\(core.queue.label)' "
                    + "after it was activated")
        }
        core.queue = queue ?? DispatchQueue.global()
    }

    public final func setEventHandler(
        qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?
    ) {
        core.setHandler(\.event, handler.map { SourceHandler($0) })
    }

    public final func setEventHandler(handler: DispatchWorkItem) {
        core.setHandler(\.event, SourceHandler { handler.perform() })
    }

    public final func setCancelHandler(
        qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?
    ) {
        core.setHandler(\.cancel, handler.map { SourceHandler($0) })
    }

    public final func setCancelHandler(handler: DispatchWorkItem) {
        core.setHandler(\.cancel, SourceHandler { handler.perform() })
    }

    public final func setRegistrationHandler(
        qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?
    ) {
        core.setHandler(\.registration, handler.map { SourceHandler($0) })
    }

    public final func setRegistrationHandler(handler: DispatchWorkItem) {
        core.setHandler(\.registration, SourceHandler { handler.perform() })
    }

    public final var handle: UInt { core.handle }
    public var mask: UInt { 0 }
    public final var data: UInt { core.data }
}

// MARK: making sources

extension DispatchSource {
    /// Watches a descriptor for bytes to read, connections to accept, or the end. The handler
    /// repeats while data is left (level-triggered). Do not close the descriptor before the cancel
    /// handler runs. `dispatch_source_create(DISPATCH_SOURCE_TYPE_READ)`.
    ///
    /// `data` is the number of bytes to read (1 where the kernel has no count: for connections).
    /// The end of a file, a hang-up and an error are reported once, as 0, after all bytes have been
    /// read; the next read(2) distinguishes them. Then the source is silent while that state lasts;
    /// suspend and resume it to check again.
    /// - Parameters:
    ///   - fileDescriptor: stays the caller's, who closes it in the cancel handler.
    ///   - queue: runs the handlers; nil: the default global queue.
    public static func makeReadSource(
        fileDescriptor: Int32, queue: DispatchQueue? = nil
    ) -> any DispatchSourceRead {
        PlainSourceObject(core: DescriptorSource(fileDescriptor, .read, queue))
    }

    /// Watches a descriptor for room to write. The handler repeats while there is room, so suspend
    /// the source when you have nothing to write. `data` is the room in bytes. A hang-up and an
    /// error are reported once; the next write(2) distinguishes them.
    /// `dispatch_source_create(DISPATCH_SOURCE_TYPE_WRITE)`.
    public static func makeWriteSource(
        fileDescriptor: Int32, queue: DispatchQueue? = nil
    ) -> any DispatchSourceWrite {
        PlainSourceObject(core: DescriptorSource(fileDescriptor, .write, queue))
    }

    /// Adds up the values that the program merges.
    /// `dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD)`.
    public static func makeUserDataAddSource(
        queue: DispatchQueue? = nil
    ) -> any DispatchSourceUserDataAdd {
        UserDataSourceObject(core: UserDataSource(merge: .add, queue: queue))
    }

    /// Combines the values that the program merges by bitwise or.
    /// `dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_OR)`.
    public static func makeUserDataOrSource(
        queue: DispatchQueue? = nil
    ) -> any DispatchSourceUserDataOr {
        UserDataSourceObject(core: UserDataSource(merge: .or, queue: queue))
    }

    /// Keeps the last value that the program merges.
    /// `dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_REPLACE)`.
    public static func makeUserDataReplaceSource(
        queue: DispatchQueue? = nil
    ) -> any DispatchSourceUserDataReplace {
        UserDataSourceObject(core: UserDataSource(merge: .replace, queue: queue))
    }
}

/// A source whose kind adds nothing to the common interface.
final class PlainSourceObject: DispatchSource, DispatchSourceRead, DispatchSourceWrite,
    DispatchSourceSignal, @unchecked Sendable
{
    // Safety: as the superclass.
}

private final class UserDataSourceObject: DispatchSource, DispatchSourceUserDataAdd,
    DispatchSourceUserDataOr, DispatchSourceUserDataReplace, @unchecked Sendable
{
    // Safety: as the superclass; the make functions pass a UserDataSource.
    private var userCore: UserDataSource { unsafeDowncast(core, to: UserDataSource.self) }

    func add(data: UInt) { userCore.mergeData(data) }
    func or(data: UInt) { userCore.mergeData(data) }
    func replace(data: UInt) { userCore.mergeData(data) }
}
