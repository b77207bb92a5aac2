import Glibc
@testable import RingDispatch
import Testing

typealias FileSystemEvent = DispatchSource.FileSystemEvent

/// A file-system source that records the events that its handler receives.
final class FileObserver: Sendable {
    let source: any DispatchSourceFileSystemObject
    let queue: DispatchQueue
    /// One element for each call of the handler.
    let calls = Watched<[FileSystemEvent]>([])
    private let cancelled: Gate
    private let descriptor: Int32?

    /// Watches the file at a path, by a descriptor of the observer's own.
    init(_ path: String, _ mask: FileSystemEvent = .all, watches: FileSystemWatches = .shared) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        precondition(descriptor >= 0, "errno \(errno)")
        self.descriptor = descriptor
        queue = DispatchQueue(label: "test.file.\(path)")
        source = FileSystemSourceObject(
            core: FileSystemSource(
                descriptor: descriptor, mask: mask, queue: queue, watches: watches))
        cancelled = watchCancel(of: source)
        start()
    }

    /// Watches with an inactive source, whose descriptor the caller closes.
    init(_ source: any DispatchSourceFileSystemObject, _ queue: DispatchQueue) {
        descriptor = nil
        self.queue = queue
        self.source = source
        cancelled = watchCancel(of: source)
        start()
    }

    private func start() {
        source.setEventHandler { [unowned source, calls] in calls.append(source.data) }
        source.activate()
    }

    /// Ends the source. To be called for each observer.
    func end(sourceLocation: SourceLocation = #_sourceLocation) {
        finish(source, cancelled, sourceLocation: sourceLocation)
        if let descriptor { close(descriptor) }
    }

    /// The events since the last call, after all earlier changes have been reported.
    func events(
        beyond fence: FileFence, sourceLocation: SourceLocation = #_sourceLocation
    ) -> FileSystemEvent {
        fence.pass(sourceLocation: sourceLocation)
        drain(queue, sourceLocation: sourceLocation)
        return calls.update { calls in
            defer { calls = [] }
            return union(of: calls)
        }
    }
}

/// A separate file, watched until the last reference goes. When a change of it is reported, all
/// earlier changes have been reported, because the kernel keeps the order of events.
final class FileFence: Sendable {
    private let folder = Folder()
    private let source: any DispatchSourceFileSystemObject
    private let passed = Watched(0)

    init(watches: FileSystemWatches = .shared) {
        let descriptor = open(folder.makeFile("fence"), O_RDONLY | O_CLOEXEC)
        precondition(descriptor >= 0, "errno \(errno)")
        source = FileSystemSourceObject(
            core: FileSystemSource(
                descriptor: descriptor, mask: .attrib, queue: DispatchQueue(label: "test.fence"),
                watches: watches))
        source.setCancelHandler { close(descriptor) }
        source.setEventHandler { [passed] in passed.increment() }
        source.activate()
    }

    deinit { source.cancel() }

    func pass(sourceLocation: SourceLocation = #_sourceLocation) {
        let before = passed.value
        chmod(folder("fence"), 0o600)
        expectEventually(passed, "the fence did not move", sourceLocation: sourceLocation) {
            $0 > before
        }
    }
}

/// The union of the events of several calls of a handler.
func union(of calls: [FileSystemEvent]) -> FileSystemEvent {
    calls.reduce(into: FileSystemEvent()) { $0.formUnion($1) }
}
