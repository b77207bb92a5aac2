import Glibc
@testable import RingDispatch
import LinuxPlatform
import Testing

/// Rare behaviour of the kernel, replayed step by step.
@Suite("A file-system source when the kernel's events are odd", .watchdog)
struct FileSystemScriptTests {
    private let inotify = ScriptedInotify()
    private let watches: FileSystemWatches
    private let folder = Folder()
    private let file: String

    init() {
        watches = FileSystemWatches { [inotify] in inotify }
        file = folder.makeFile("file")
    }

    /// Waits until all events sent before are processed.
    private func settle(_ observer: FileObserver) {
        let last = FileObserver(folder.makeFile("last"), watches: watches)
        let number = inotify.watches.value.keys.max() ?? 0
        inotify.send((number, .attributes))
        expectEventually(last.calls) { $0 == [.attrib] }
        last.end()
        drain(observer.queue)
    }

    @Test("66. Unmounting revokes, and ends the watch")
    func unmounted() {
        let observer = FileObserver(file, watches: watches)
        inotify.send((1, .unmounted), (1, .ended))
        expectEventually(observer.calls) { $0 == [.revoke] }
        #expect(observer.source.error == nil)
        // Nothing is watched: the instance closes before the source ends.
        expectEventually(inotify.isClosed) { $0 }
        observer.end()
    }

    @Test("Events of a watch that was given up do not reach a new source of the same file")
    func lateEvents() {
        let keeper = FileObserver(folder.path, .write, watches: watches)
        FileObserver(file, watches: watches).end()
        let observer = FileObserver(file, watches: watches)
        #expect(inotify.watches.value.keys.sorted().count >= 2)
        inotify.send((2, .modified), (2, .attributes), (2, .ended), (1, .created))
        settle(observer)
        #expect(observer.calls.value == [])
        observer.end()
        keeper.end()
    }

    @Test("Events of unknown watches are passed over")
    func unknownEvents() {
        let observer = FileObserver(file, watches: watches)
        inotify.send((77, .modified), (-1, []), (77, .ended), (1, .selfMoved))
        expectEventually(observer.calls) { $0 == [.rename] }
        observer.end()
    }

    @Test("Simultaneous changes of several files reach each source, in order")
    func severalFiles() {
        let queue = DispatchQueue(label: "test.several")
        let paths = ["a", "b", "c"].map { folder.makeFile($0) }
        let notified = Watched<[Int]>([])
        let directory = FileObserver(folder.path, [.write, .attrib], watches: watches)
        let others = Int32(inotify.watches.value.count)
        let descriptors = paths.map { open($0, O_RDONLY | O_CLOEXEC) }
        let files = descriptors.enumerated().map { index, descriptor in
            let source = FileSystemSource(
                descriptor: descriptor, mask: .write, queue: queue, watches: watches)
            let observer = FileObserver(FileSystemSourceObject(core: source), queue)
            observer.source.setEventHandler { notified.append(index) }
            return observer
        }
        // Their handlers are set by then. A source that is already queued is notified last.
        drain(queue)
        let numbers = (1...3).map { others + Int32($0) }
        // A source does not report attributes of a directory's entries.
        inotify.send([
            (1, .attributes, true), (numbers[1], .modified, false), (1, .attributes, true),
            (numbers[0], .modified, false), (numbers[1], .modified, false),
            (1, .attributes, true), (numbers[2], .modified, false), (1, .created, true),
        ])
        expectEventually(directory.calls) { $0 == [.write] }
        expectEventually(notified) { $0.count == 3 }
        #expect(notified.value == [1, 0, 2])
        for observer in files { observer.end() }
        for descriptor in descriptors { close(descriptor) }
        directory.end()
    }

    @Test("A watch that the kernel ended is made again, and missed changes are reported")
    func watchedAgain() {
        let observer = FileObserver(file, watches: watches)
        append(10, to: file)
        inotify.send((1, .ended))
        expectEventually(observer.calls) { $0 == [[.write, .extend, .attrib]] }
        #expect(inotify.watches.value.keys.sorted() == [2])
        inotify.send((2, .selfMoved))
        expectEventually(observer.calls) { $0.last == .rename }
        observer.end()
    }

    @Test("One that is lost again without an event is noticed, however often", arguments: [1, 2])
    func lostAgain(_ losses: Int) {
        let observer = FileObserver(file, watches: watches)
        inotify.losses.update { $0 = losses }
        inotify.send((1, .ended))
        let last = Int32(2 + losses)
        expectEventually(inotify.watches) { $0.keys.sorted() == [last] }
        append(10, to: file)
        inotify.send((last, .modified))
        expectEventually(observer.calls) { union(of: $0).isSuperset(of: [.write, .extend]) }
        #expect(observer.source.error == nil)
        observer.end()
    }

    @Test("One that is lost again and cannot be made is an error")
    func lostForGood() {
        let observer = FileObserver(file, watches: watches)
        inotify.losses.update { $0 = 1 }
        inotify.refusals.update { $0 = [0, ENOSPC] }
        inotify.send((1, .ended))
        expectEventually(observer.calls) { $0.last == [] }
        #expect(observer.source.error?.reason == .watchLimit)
        expectEventually(inotify.isClosed) { $0 }
        observer.end()
    }

    @Test("A watch that cannot be made again is an error")
    func notWatchedAgain() {
        let observer = FileObserver(file, watches: watches)
        inotify.refusals.append(ENOSPC)
        inotify.send((1, .ended))
        expectEventually(observer.calls) { $0 == [[]] }
        #expect(observer.source.error?.reason == .watchLimit)
        expectEventually(inotify.isClosed) { $0 }
        observer.end()
    }

    @Test("A check for one event does not consume the cause of another event")
    func checksAreApart() {
        let observer = FileObserver(file, watches: watches)
        append(10, to: file)
        link(file, folder("second"))
        inotify.send((1, .attributes))
        expectEventually(observer.calls) { $0.count == 1 && $0[0].contains(.link) }
        inotify.send((1, .modified))
        expectEventually(observer.calls) { $0.count == 2 && $0[1] == [.write, .extend] }
        append(10, to: file)
        unlink(file)
        inotify.send((1, .modified))
        expectEventually(observer.calls) { $0.count == 3 && $0[2] == [.write, .extend] }
        inotify.send((1, .attributes))
        expectEventually(observer.calls) { $0.count == 4 && $0[3] == .link }
        observer.end()
    }

    @Test("A check for one event does not hide another lost event")
    func checksHideNothing() {
        let observer = FileObserver(file, watches: watches)
        // The file grows, and that event is among the lost ones.
        append(10, to: file)
        chmod(file, 0o640)
        inotify.send((1, .attributes), (-1, .overflowed))
        expectEventually(observer.calls) {
            union(of: $0).isSuperset(of: [.attrib, .write, .extend])
        }
        chmod(file, 0o600)
        append(10, to: file)
        inotify.send((1, .modified))
        expectEventually(observer.calls) { $0.last == [.write, .extend] }
        inotify.send((-1, .overflowed))
        expectEventually(observer.calls) { $0.last?.contains(.attrib) == true }
        observer.end()
    }

    @Test("Both ends of a rename may come apart; those of two renames are two directories")
    func unpairedMoves() {
        folder.makeDirectory("directory")
        var status = stat()
        stat(folder.path, &status)
        let observer = FileObserver(folder.path, [.write, .link], watches: watches)
        // Only the link count shows whether a directory left for good. Not all file systems
        // maintain it.
        let moved: FileSystemEvent = status.st_nlink > 1 ? .write : [.write, .link]
        let steps: [(InotifyMask, UInt32, FileSystemEvent)] = [
            (.movedFrom, 7, moved), (.movedTo, 7, moved),
            (.movedTo, 8, moved), (.movedFrom, 9, [.write, .link]),
            (.movedFrom, 10, moved), (.movedTo, 11, [.write, .link]),
        ]
        var expected: [FileSystemEvent] = []
        for (changes, cookie, event) in steps {
            inotify.sendMove(of: 1, changes, cookie: cookie)
            expected.append(event)
            expectEventually(observer.calls) { $0 == expected }
        }
        observer.end()
    }

    @Test("After an overflow every file is checked")
    func overflow() {
        // More than are checked at a time.
        let names = (0..<150).map { folder.makeFile("\($0)") }
        let directory = folder.makeDirectory("directory")
        letTimePass(milliseconds: 2 * FileSystemScriptTests.tickMilliseconds)
        let observers = names.map { FileObserver($0, watches: watches) }
        let directoryObserver = FileObserver(directory, watches: watches)
        for (number, name) in names.enumerated() {
            switch number % 6 {
            case 0: append(5, to: name)
            case 1: chmod(name, 0o640)
            case 2: link(name, name + "second")
            case 3: rename(name, name + "new")
            case 4: unlink(name)
            default: break
            }
        }
        mkdir(directory + "/inner", 0o700)
        inotify.send((-1, .overflowed))
        let expected: [FileSystemEvent] = [
            // Another name of the file may have been renamed.
            [.write, .extend], .attrib, [.link, .rename], .rename, .delete, [],
        ]
        for (number, observer) in observers.enumerated() where number % 6 != 5 {
            // A new change time is a change of attributes as well.
            expectEventually(observer.calls) {
                $0 == [expected[number % 6].union(.attrib)]
            }
        }
        expectEventually(directoryObserver.calls) { $0 == [[.write, .link, .attrib]] }
        for (number, observer) in observers.enumerated() {
            if number % 6 == 5 { #expect(observer.calls.value == []) }
            observer.end()
        }
        directoryObserver.end()
    }

    /// Longer than the resolution of a file system's clock.
    private static let tickMilliseconds = 20

    /// More events than one read returns.
    private let alreadyRead = 4096

    /// The most events that wait in an inotify instance.
    private static let queueLimit =
        SystemFile.firstLine(of: "/proc/sys/fs/inotify/max_queued_events").flatMap { Int($0) }
        ?? .max

    @Test(
        "The kernel's own overflow loses nothing",
        .enabled(if: queueLimit <= 200_000, "inotify's queue is so long that it takes too long"))
    func kernelOverflow() throws {
        let limit = FileSystemScriptTests.queueLimit
        let gate = Gate()
        let atGate = Watched(false)
        let isHeld = Watched(false)
        let watches = FileSystemWatches { () throws(SystemError) in
            try HookedInotify(beforeWatch: { _ in
                guard isHeld.value else { return }
                atGate.update { $0 = true }
                gate.pass()
            })
        }
        let noise = ["noise1", "noise2"].map { folder.makeFile($0) }
        let observer = FileObserver(file, watches: watches)
        let noisy = noise.map { FileObserver($0, .write, watches: watches) }
        // Adding a watch takes the lock that the reader needs.
        isHeld.update { $0 = true }
        let holder = UserThread { [file] in FileObserver(file, watches: watches).end() }
        expectEventually(atGate) { $0 }
        // Alternating, because the kernel merges an event with an equal previous one.
        let writers = noise.map { open($0, O_WRONLY | O_CLOEXEC) }
        for _ in 0..<(limit / 2 + alreadyRead) {
            for writer in writers { write(1, to: writer) }
        }
        for writer in writers { close(writer) }
        append(5, to: file)
        rename(file, folder("new"))
        unlink(folder("new"))
        gate.open()
        #expect(holder.join())
        expectEventually(observer.calls) {
            union(of: $0).isSuperset(of: [.write, .extend, .delete, .rename])
        }
        // The source still works.
        let fence = FileFence(watches: watches)
        append(5, to: noise[0])
        #expect(noisy[0].events(beyond: fence).contains(.write))
        for observer in noisy + [observer] { observer.end() }
    }
}
