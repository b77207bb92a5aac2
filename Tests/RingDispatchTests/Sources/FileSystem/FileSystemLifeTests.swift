import Glibc
@testable import RingDispatch
import LinuxPlatform
import Testing

@Suite("The life of a file-system source", .watchdog)
struct FileSystemLifeTests {
    private let fence = FileFence()
    private let folder = Folder()
    private let file: String

    init() { file = folder.makeFile("file") }

    @Test("It knows its descriptor and its mask")
    func properties() throws {
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.write, .rename])
        let cancelled = watchCancel(of: source)
        #expect(source.handle == descriptor)
        #expect(source.mask == [.write, .rename])
        #expect(source.data == [])
        #expect(source.error == nil)
        #expect((source as any DispatchSourceProtocol).mask == 0x22)
        #expect((source as any DispatchSourceProtocol).handle == UInt(descriptor))
        source.activate()
        finish(source, cancelled)
        close(descriptor)
    }

    @Test("The values of the events are GCD's")
    func values() {
        let values: [(FileSystemEvent, UInt)] = [
            (.delete, 1), (.write, 2), (.extend, 4), (.attrib, 8), (.link, 0x10), (.rename, 0x20),
            (.revoke, 0x40), (.funlock, 0x100), (.all, 0x7f),
        ]
        for (event, value) in values { #expect(event.rawValue == value) }
    }

    @Test("What happens while it is suspended is merged into one call")
    func suspended() {
        let observer = FileObserver(file)
        observer.source.suspend()
        append(5, to: file)
        fence.pass()
        chmod(file, 0o640)
        fence.pass()
        rename(file, folder("new"))
        #expect(observer.events(beyond: fence) == [])
        observer.source.resume()
        expectEventually(observer.calls) { $0 == [[.write, .extend, .attrib, .rename]] }
        #expect(observer.events(beyond: fence) == [.write, .extend, .attrib, .rename])
        observer.end()
    }

    @Test("Changes before the activation are not reported")
    func beforeActivation() {
        let queue = DispatchQueue(label: "test.early")
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: .all, queue: queue)
        append(5, to: file)
        chmod(file, 0o640)
        let observer = FileObserver(source, queue)
        #expect(observer.events(beyond: fence) == [])
        append(5, to: file)
        #expect(observer.events(beyond: fence) == [.write, .extend])
        observer.end()
        close(descriptor)
    }

    @Test("Changes after activate() returned are reported")
    func afterActivation() {
        for _ in 0..<50 {
            let observer = FileObserver(file)
            append(5, to: file)
            #expect(observer.events(beyond: fence) == [.write, .extend])
            observer.end()
        }
    }

    @Test("55. The cancel handler comes after the last event handler, and closing there is safe")
    func cancelHandler() {
        let events = Watched(0)
        for round in 0..<50 {
            let descriptor = open(file, O_WRONLY | O_CLOEXEC)
            let state = Unguarded((isCancelled: false, isLate: false))
            let cancelled = Gate()
            let queue = DispatchQueue(label: "test.cancel")
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: .all, queue: queue)
            source.setEventHandler {
                if state.value.isCancelled { state.value.isLate = true }
                events.increment()
            }
            source.setCancelHandler {
                state.value.isCancelled = true
                close(descriptor)
                cancelled.open()
            }
            source.activate()
            let before = events.value
            for _ in 0..<20 { write(1, to: descriptor) }
            // In half of the rounds the handler is busy by then.
            if round % 2 == 0 { expectEventually(events) { $0 > before } }
            for _ in 0..<20 { write(1, to: descriptor) }
            source.cancel()
            expectOpens(cancelled)
            queue.sync { #expect(!state.value.isLate) }
        }
    }

    @Test("A source for a path has its own descriptor, which is closed with it")
    func path() throws {
        symlink(file, folder("symbolic"))
        let queue = DispatchQueue(label: "test.path")
        let source = try DispatchSource.makeFileSystemObjectSource(
            path: folder("symbolic"), eventMask: .all, queue: queue)
        let observer = FileObserver(source, queue)
        let descriptor = source.handle
        #expect(Descriptors.name(of: descriptor) == file)
        append(1, to: file)
        #expect(observer.events(beyond: fence) == [.write, .extend])
        unlink(file)
        #expect(observer.events(beyond: fence) == .delete)
        observer.end()
        // Another test may have opened the number again.
        #expect(Descriptors.name(of: descriptor) != file + " (deleted)")
    }

    @Test("A path may be relative to the current directory, and the file need not be open")
    func relativePath() throws {
        let source = try DispatchSource.makeFileSystemObjectSource(path: ".", eventMask: .delete)
        let cancelled = watchCancel(of: source)
        var status = stat()
        var current = stat()
        #expect(fstat(source.handle, &status) == 0 && stat(".", &current) == 0)
        #expect(status.st_ino == current.st_ino)
        source.activate()
        finish(source, cancelled)
    }

    @Test("56. Cancelled before activation: the cancel handler comes, the descriptor is closed")
    func cancelledFirst() throws {
        let source = try DispatchSource.makeFileSystemObjectSource(path: file, eventMask: .all)
        let cancelled = watchCancel(of: source)
        source.cancel()
        source.activate()
        expectOpens(cancelled)
        #expect(Descriptors.name(of: source.handle) != file)
    }

    @Test("57. A source that nobody holds ends, with its descriptor and without its cancel handler")
    func abandoned() throws {
        let descriptor: Int32
        let called = Watched(0)
        weak var object: FileSystemSourceObject?
        do {
            let source = try DispatchSource.makeFileSystemObjectSource(path: file, eventMask: .all)
            source.setEventHandler { called.increment() }
            source.setCancelHandler { called.increment() }
            source.activate()
            descriptor = source.handle
            object = source as? FileSystemSourceObject
            #expect(object != nil)
        }
        #expect(object == nil)
        #expect(Descriptors.name(of: descriptor) != file)
        append(1, to: file)
        expectStays(called, at: 0)
    }

    /// The number of open inotify instances, and its maximum.
    private struct Instances {
        var open = 0
        var most = 0
    }

    private func counted(_ count: Watched<Instances>) throws(SystemError) -> HookedInotify {
        let inotify = try HookedInotify(afterClose: { count.update { $0.open -= 1 } })
        count.update { count in
            count.open += 1
            count.most = max(count.most, count.open)
        }
        return inotify
    }

    @Test("The inotify instance is made for the first source and closed after the last")
    func instance() {
        let count = Watched(Instances())
        weak var weakWatches: FileSystemWatches?
        do {
            let watches = FileSystemWatches { () throws(SystemError) in try counted(count) }
            weakWatches = watches
            #expect(count.value.open == 0)
            for _ in 0..<3 {
                let observers = [file, folder.path].map { FileObserver($0, watches: watches) }
                #expect(count.value.open == 1)
                for observer in observers { observer.end() }
                expectEventually(count) { $0.open == 0 }
            }
        }
        #expect(poll { weakWatches == nil })
    }

    @Test("Sources that come and go quickly need two inotify instances at most")
    func churn() {
        let count = Watched(Instances())
        let watches = FileSystemWatches { () throws(SystemError) in try counted(count) }
        let threads = (0..<3).map { _ in
            UserThread {
                for _ in 0..<200 { FileObserver(file, watches: watches).end() }
            }
        }
        for thread in threads { #expect(thread.join()) }
        expectEventually(count) { $0.open == 0 }
        #expect(count.value.most <= 2)
    }

    @Test("Nothing is left of sources that ended: no descriptor, no watch, no inotify instance")
    func nothingLeft() async {
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            prepareForTrap()
            letTasksHaveTheirDescriptors()
            let folder = Folder(borrowing: path)
            func run() {
                for round in 0..<20 {
                    let file = folder.makeFile("file")
                    let directory = folder.makeDirectory("directory")
                    var observers = [file, file, directory, folder.path].map { FileObserver($0) }
                    if let source = try? DispatchSource.makeFileSystemObjectSource(
                        path: file, eventMask: .write, queue: DispatchQueue(label: "\(round)"))
                    {
                        observers.append(FileObserver(source, DispatchQueue(label: "")))
                    }
                    append(1, to: file)
                    unlink(file)
                    rmdir(directory)
                    for observer in observers { observer.end() }
                }
            }
            run()
            // The instance is closed a moment after the last source.
            func isClosed() -> Bool { !openDescriptors().contains { $0.contains("inotify") } }
            let isFirstClosed = poll(until: isClosed)
            let before = openDescriptors().count
            run()
            let isLastClosed = poll(until: isClosed)
            endProcess(
                succeedingIf: isFirstClosed && isLastClosed && openDescriptors().count == before)
        }
    }
}

/// The targets of the process's descriptors.
func openDescriptors() -> [String] {
    (0..<Int32(1024)).compactMap { Descriptors.name(of: $0) }
}
