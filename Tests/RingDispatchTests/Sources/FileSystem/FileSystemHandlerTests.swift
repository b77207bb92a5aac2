import Glibc
@testable import RingDispatch
import LinuxPlatform
import Testing

/// Guarantees for the handlers of file-system sources.
@Suite("The handlers of file-system sources", .watchdog)
struct FileSystemHandlerTests {
    private let folder = Folder()
    private let fence = FileFence()

    private func source(
        of file: String, _ queue: DispatchQueue?
    ) throws -> any DispatchSourceFileSystemObject {
        try DispatchSource.makeFileSystemObjectSource(path: file, eventMask: .write, queue: queue)
    }

    /// Kinds of queues whose handlers are to be called on them.
    enum Kind: CaseIterable {
        case serial, concurrent, targeted, background, global
    }

    @Test("A handler runs on its queue", arguments: Kind.allCases)
    func onQueue(kind: Kind) throws {
        let base = DispatchQueue(label: "test.base")
        let queue =
            switch kind {
            case .serial: DispatchQueue(label: "test.serial")
            case .concurrent: DispatchQueue(label: "test.concurrent", attributes: .concurrent)
            case .targeted: DispatchQueue(label: "test.targeted", target: base)
            case .background: DispatchQueue(label: "test.background", qos: .background)
            case .global: DispatchQueue.global()
            }
        let file = folder.makeFile("file")
        let source = try source(of: file, queue)
        let cancelled = watchCancel(of: source)
        let names = Watched<[String]>([])
        source.setEventHandler {
            dispatchPrecondition(condition: .onQueue(queue))
            if kind == .targeted { dispatchPrecondition(condition: .onQueue(base)) }
            names.append(currentThreadName())
        }
        source.activate()
        for count in 1...20 {
            append(1, to: file)
            expectEventually(names) { $0.count >= count }
        }
        // Background work stays on the threads of lowest priority.
        if kind == .background { #expect(names.value.allSatisfy { $0.hasPrefix("ring-bg") }) }
        finish(source, cancelled)
    }

    @Test("A handler of the main queue runs on the main thread")
    func onMain() async {
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            let folder = Folder(borrowing: path)
            let file = folder.makeFile("file")
            let source = try DispatchSource.makeFileSystemObjectSource(
                path: file, eventMask: .write, queue: .main)
            source.setEventHandler { endProcess(succeedingIf: Threads.isMain) }
            withMainQueueServed {
                source.activate()
                append(1, to: file)
            }
        }
    }

    @Test("Changes count from the activation on, while the queue or the source is suspended, too")
    func suspended() throws {
        let queue = DispatchQueue(label: "test.suspended")
        for isQueue in [true, false] {
            let file = folder.makeFile("file")
            let source = try source(of: file, queue)
            let cancelled = watchCancel(of: source)
            let calls = Watched<[String]>([])
            source.setRegistrationHandler { calls.append("registration") }
            source.setEventHandler { calls.append("event") }
            if isQueue { queue.suspend() } else { source.suspend() }
            source.activate()
            append(1, to: file)
            fence.pass()
            #expect(calls.value == [])
            if isQueue { queue.resume() } else { source.resume() }
            expectEventually(calls) { $0 == ["registration", "event"] }
            finish(source, cancelled)
        }
    }

    @Test("A handler waits for its queue's items, and they wait for it")
    func isolation() throws {
        let base = DispatchQueue(label: "test.base")
        let queues = (0..<3).map { DispatchQueue(label: "test.\($0)", target: base) }
        let files = (0..<3).map { folder.makeFile("file\($0)") }
        let inside = Unguarded(0)
        let overlaps = Unguarded(0)
        let work: @Sendable () -> Void = {
            inside.value += 1
            if inside.value != 1 { overlaps.value += 1 }
            for step in 0..<200 { inside.value += step % 2 == 0 ? 1 : -1 }
            inside.value -= 1
        }
        let calls = Watched([0, 0, 0])
        let sources = try zip(files, queues).enumerated().map { index, pair in
            let (file, queue) = pair
            let source = try source(of: file, queue)
            source.setEventHandler {
                work()
                calls.update { $0[index] += 1 }
            }
            return (source, watchCancel(of: source))
        }
        for (source, _) in sources { source.activate() }
        let threads = zip(files, queues).map { file, queue in
            UserThread {
                for _ in 0..<500 {
                    append(1, to: file)
                    queue.async(execute: work)
                    queue.sync(execute: work)
                }
            }
        }
        for thread in threads { #expect(thread.join(seconds: Patience.joinSeconds)) }
        expectEventually(calls) { !$0.contains(0) }
        for (source, cancelled) in sources { finish(source, cancelled) }
        drain(base)
        #expect(overlaps.value == 0)
    }

    @Test("A suspended queue gets its handlers' calls when it is resumed")
    func suspendedQueue() {
        let file = folder.makeFile("file")
        let observer = FileObserver(file)
        observer.queue.suspend()
        append(1, to: file)
        fence.pass()
        #expect(observer.calls.value == [])
        observer.queue.resume()
        expectEventually(observer.calls) { $0 == [[.write, .extend]] }
        observer.end()
    }

    @Test("Handlers that block stop no other source, and then receive all missed events")
    func blocking() throws {
        let count = 12
        let gate = Gate()
        let calls = Watched(0)
        let files = (0..<count).map { folder.makeFile("file\($0)") }
        let sources = try files.map { file in
            let source = try source(of: file, DispatchQueue(label: "test.blocking"))
            source.setEventHandler {
                calls.increment()
                gate.pass()
            }
            return (source, watchCancel(of: source))
        }
        for (source, _) in sources { source.activate() }
        for (index, file) in files.enumerated() {
            append(1, to: file)
            fence.pass()
            expectEventually(calls) { $0 == index + 1 }
        }
        for file in files { append(1, to: file) }
        fence.pass()
        #expect(calls.value == count)
        gate.open()
        expectEventually(calls) { $0 == 2 * count }
        for (source, cancelled) in sources { finish(source, cancelled) }
    }

    @Test("A handler that computes stops no other source")
    func computing() {
        let file = folder.makeFile("file")
        let isOver = Watched(false)
        let observer = FileObserver(file)
        let entered = Gate()
        observer.source.setEventHandler {
            entered.open()
            while !isOver.value {}
        }
        drain(observer.queue)
        append(1, to: file)
        expectOpens(entered)
        for _ in 0..<10 { fence.pass() }
        isOver.update { $0 = true }
        observer.end()
    }

    @Test("A handler may cancel its source, and end the last one, where it is called")
    func cancelInside() throws {
        for _ in 0..<50 {
            let watches = FileSystemWatches { () throws(SystemError) in
                try InotifyDescriptor()
            }
            let observer = FileObserver(folder.makeFile("file"), watches: watches)
            observer.source.setEventHandler { [unowned observer] in observer.source.cancel() }
            drain(observer.queue)
            append(1, to: folder("file"))
            #expect(poll { observer.source.isCancelled })
            observer.end()
        }
    }

    @Test("While nothing happens no thread wakes up")
    func idle() async {
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            prepareForTrap()
            let folder = Folder(borrowing: path)
            let file = folder.makeFile("file")
            let observer = FileObserver(file, .write)
            for count in 1...3 {
                append(1, to: file)
                guard observer.calls.wait(seconds: Patience.seconds, until: { $0.count == count })
                else { endProcess(succeedingIf: false) }
            }
            // The monitor needs a moment to detect that all loops are idle.
            let isQuiet = poll {
                let before = librarySleeps()
                letTimePass(milliseconds: 300)
                return !before.isEmpty && librarySleeps() == before
            }
            endProcess(succeedingIf: isQuiet)
        }
    }

    @Test("A program that closes the library's descriptor gets an error, and new sources work")
    func foreignClose() async {
        let result = await #expect(
            processExitsWith: .success, observing: lastWords
        ) { [path = folder.path as String] in
            prepareForTrap()
            let folder = Folder(borrowing: path)
            let file = folder.makeFile("file")
            let first = FileObserver(file)
            let inotify = (0..<Int32(1024)).first {
                Descriptors.name(of: $0)?.contains("inotify") == true
            }
            guard let inotify else { endProcess(succeedingIf: false) }
            close(inotify)
            let isReported = poll {
                let second = FileObserver(file)
                append(1, to: file)
                let isReported = second.calls.wait(seconds: 1) { union(of: $0).contains(.write) }
                second.end()
                return isReported
            }
            first.end()
            endProcess(succeedingIf: isReported)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("descriptor"), "\(text)")
    }
}
