import Glibc
import RingDispatch
import Testing

@Suite("A file-system source of a file", .watchdog)
struct FileSystemFileTests {
    private let fence = FileFence()

    /// Changes `file` and returns all events that its source reports.
    private func reported(
        in folder: Folder, bytes: Int = 10, mask: FileSystemEvent = .all, _ change: (String) -> Void
    ) -> FileSystemEvent {
        let file = folder.makeFile("file", [UInt8](repeating: 0, count: bytes))
        let observer = FileObserver(file, mask)
        change(file)
        let events = observer.events(beyond: fence)
        observer.end()
        return events
    }

    @Test("66. Appending is a write that extends", arguments: Folder.Place.allCases)
    func append(place: Folder.Place) {
        #expect(
            reported(in: Folder(place)) { RingDispatchTests.append(5, to: $0) }
                == [.write, .extend])
    }

    @Test("66. Overwriting is a write", arguments: Folder.Place.allCases)
    func overwrite(place: Folder.Place) {
        #expect(reported(in: Folder(place)) { RingDispatchTests.overwrite(5, of: $0) } == .write)
    }

    @Test("66. Cutting short is a write, lengthening extends", arguments: Folder.Place.allCases)
    func truncate(place: Folder.Place) {
        #expect(reported(in: Folder(place)) { _ = Glibc.truncate($0, 3) } == .write)
        #expect(reported(in: Folder(place)) { _ = Glibc.truncate($0, 30) } == [.write, .extend])
    }

    @Test("66. Growth is measured from the last check, also after truncation")
    func growsAfterTruncation() {
        let folder = Folder()
        let file = folder.makeFile("file", [UInt8](repeating: 0, count: 100))
        let observer = FileObserver(file)
        Glibc.truncate(file, 0)
        #expect(observer.events(beyond: fence) == .write)
        RingDispatchTests.append(50, to: file)
        #expect(observer.events(beyond: fence) == [.write, .extend])
        observer.end()
    }

    @Test("66. A source sees changes since its start, whatever earlier sources have asked for")
    func laterSource() {
        let folder = Folder()
        let file = folder.makeFile("file", [UInt8](repeating: 0, count: 100))
        let growth = FileObserver(file, .extend)
        link(file, folder("second"))
        let links = FileObserver(file, .link)
        unlink(folder("second"))
        #expect(links.events(beyond: fence) == .link)
        growth.end()
        Glibc.truncate(file, 0)
        let laterGrowth = FileObserver(file, .extend)
        RingDispatchTests.append(50, to: file)
        #expect(laterGrowth.events(beyond: fence) == .extend)
        laterGrowth.end()
        links.end()
    }

    @Test("66. Mode, times and owner", arguments: Folder.Place.allCases)
    func attributes(place: Folder.Place) {
        #expect(reported(in: Folder(place)) { chmod($0, 0o640) } == .attrib)
        #expect(reported(in: Folder(place)) { utimes($0, nil) } == .attrib)
        #expect(reported(in: Folder(place)) { chown($0, getuid(), getgid()) } == .attrib)
    }

    @Test("66. A second name, and the loss of one of two", arguments: Folder.Place.allCases)
    func links(place: Folder.Place) {
        let folder = Folder(place)
        let file = folder.makeFile("file")
        let observer = FileObserver(file)
        link(file, folder("second"))
        #expect(observer.events(beyond: fence) == .link)
        unlink(file)
        #expect(observer.events(beyond: fence) == .link)
        unlink(folder("second"))
        #expect(observer.events(beyond: fence) == .delete)
        observer.end()
    }

    @Test("66. Removing the last name is a deletion", arguments: Folder.Place.allCases)
    func delete(place: Folder.Place) {
        #expect(reported(in: Folder(place)) { unlink($0) } == .delete)
        #expect(reported(in: Folder(place), mask: .attrib) { unlink($0) } == [])
    }

    @Test("66. Removal and a change of mode are both reported, however quickly they follow")
    func deleteAndAttributes() {
        let folder = Folder()
        for round in 0..<20 {
            let events = reported(in: folder) { file in
                chmod(file, round % 2 == 0 ? 0o640 : 0o604)
                unlink(file)
            }
            #expect(events == [.delete, .attrib])
        }
    }

    @Test("66. After removal the source goes on with the file", arguments: Folder.Place.allCases)
    func goesOnAfterDelete(place: Folder.Place) {
        let folder = Folder(place)
        let file = folder.makeFile("file")
        let descriptor = open(file, O_WRONLY | O_CLOEXEC)
        let observer = FileObserver(file)
        unlink(file)
        #expect(observer.events(beyond: fence) == .delete)
        write(10, to: descriptor)
        #expect(observer.events(beyond: fence) == [.write, .extend])
        fchmod(descriptor, 0o640)
        #expect(observer.events(beyond: fence) == .attrib)
        close(descriptor)
        observer.end()
    }

    /// Repeated, because the kernel may lose the new watch while it ends the old one.
    @Test(
        "66. The kernel ends the watch when another name was the last; the source goes on",
        arguments: Folder.Place.allCases)
    func goesOnAfterLastOtherName(place: Folder.Place) {
        let folder = Folder(place)
        let rounds = isDeep ? 100 : 30
        // The kernel may be interrupted where it loses the watch, often on a busy machine.
        let isUsual = holdsInSomeRound {
            var exactCount = 0
            for _ in 0..<rounds {
                let file = folder.makeFile("file")
                let descriptor = open(file, O_WRONLY | O_CLOEXEC)
                let observers = [FileObserver(file), FileObserver(file, [.write])]
                link(file, folder("second"))
                #expect(observers[0].events(beyond: fence) == .link)
                unlink(file)
                #expect(observers[0].events(beyond: fence) == .link)
                unlink(folder("second"))
                // More events, reported later, only if the kernel has lost the watch.
                let removal = observers[0].events(beyond: fence)
                #expect(removal.isSuperset(of: .delete))
                write(10, to: descriptor)
                expectEventually(observers[0].calls) {
                    union(of: $0).isSuperset(of: [.write, .extend])
                }
                let growth = union(of: observers[0].calls.value)
                if removal == .delete && growth == [.write, .extend] { exactCount += 1 }
                expectEventually(observers[1].calls) { union(of: $0) == .write }
                observers[0].end()
                _ = observers[1].events(beyond: fence)
                write(10, to: descriptor)
                expectEventually(observers[1].calls) { union(of: $0) == .write }
                observers[1].end()
                close(descriptor)
            }
            return exactCount > rounds / 2
        }
        #expect(isUsual)
    }

    @Test("66. Renaming", arguments: Folder.Place.allCases)
    func rename(place: Folder.Place) {
        let folder = Folder(place)
        folder.makeDirectory("other")
        #expect(reported(in: folder) { Glibc.rename($0, folder("other/file")) } == .rename)
        #expect(reported(in: folder) { Glibc.rename($0, folder("new")) } == .rename)
    }

    @Test("66. A file whose name another takes is deleted", arguments: Folder.Place.allCases)
    func replaced(place: Folder.Place) {
        let folder = Folder(place)
        let file = folder.makeFile("file")
        let new = folder.makeFile("new")
        let old = FileObserver(file)
        let taker = FileObserver(new)
        Glibc.rename(new, file)
        #expect(old.events(beyond: fence) == .delete)
        #expect(taker.events(beyond: fence) == .rename)
        // The source stays with the file, not with the name.
        RingDispatchTests.append(4, to: file)
        #expect(old.events(beyond: fence) == [])
        #expect(taker.events(beyond: fence) == [.write, .extend])
        for observer in [old, taker] { observer.end() }
    }

    @Test("66. What the mask does not ask for never calls the handler")
    func mask() {
        let everything: (String) -> Void = { file in
            RingDispatchTests.append(5, to: file)
            chmod(file, 0o640)
            link(file, file + "2")
            Glibc.rename(file, file + "3")
        }
        let masks: [FileSystemEvent] = [
            .write, .extend, .attrib, .link, .rename, [.extend, .rename],
        ]
        for wanted in masks {
            let events = reported(in: Folder(), mask: wanted, everything)
            #expect(events == wanted)
        }
        #expect(reported(in: Folder(), mask: [.delete, .revoke], everything) == [])
    }

    @Test("66. Renames in a row are each observed or merged, and the last is never lost")
    func manyRenames() {
        let folder = Folder()
        let file = folder.makeFile("0")
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        let queue = DispatchQueue(label: "test.renames")
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.rename, .delete], queue: queue)
        let registered = Gate()
        let cancelled = watchCancel(of: source)
        let renames = 1000
        let done = Watched(0)
        let observed = Watched((calls: 0, last: 0, isPure: true))
        source.setRegistrationHandler { registered.open() }
        source.setEventHandler {
            let last = done.value
            observed.update { observed in
                observed.calls += 1
                observed.last = max(observed.last, last)
                observed.isPure = observed.isPure && source.data == .rename
            }
        }
        source.activate()
        expectOpens(registered)
        for number in 1...renames {
            // Half of them one at a time, half in a burst.
            let before = observed.value.calls
            #expect(Glibc.rename(folder("\(number - 1)"), folder("\(number)")) == 0)
            done.update { $0 = number }
            if number <= renames / 2 { expectEventually(observed) { $0.calls > before } }
        }
        // A handler that runs after the rename reports it.
        fence.pass()
        drain(queue)
        #expect(observed.value.calls >= renames / 2)
        #expect(observed.value.isPure)
        finish(source, cancelled)
        close(descriptor)
    }
}
