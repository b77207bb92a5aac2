// Monitors a file: writes, renaming and deletion.
import Glibc
import RingDispatch

final class FileMonitor: Sendable {
    private let source: any DispatchSourceFileSystemObject

    init?(
        path: String,
        onEvent: @escaping @Sendable (DispatchSource.FileSystemEvent) -> Void
    ) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.write, .extend, .rename, .delete],
            queue: DispatchQueue(label: "file-monitor"))
        source.setEventHandler { [unowned source] in onEvent(source.data) }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    func stop() { source.cancel() }
}

// snippet.hide
var name = Array("/tmp/ring-dispatch-XXXXXX".utf8CString)
let descriptor = mkstemp(&name)
precondition(descriptor >= 0)
let path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
let events = DispatchSemaphore(value: 0)
guard
    let monitor = FileMonitor(
        path: path,
        onEvent: { event in
            print("event:", event.rawValue)
            if !event.isDisjoint(with: [.write, .extend]) { events.signal() }
        })
else { preconditionFailure("the file exists") }
precondition(write(descriptor, "line\n", 5) == 5)
precondition(events.wait(timeout: .now() + 30) == .success)
close(descriptor)
unlink(path)
monitor.stop()
