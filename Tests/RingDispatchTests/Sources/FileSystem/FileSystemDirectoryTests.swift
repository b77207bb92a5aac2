import Glibc
import LinuxPlatform
@testable import RingDispatch
import Testing

@Suite("A file-system source of a directory", .watchdog)
struct FileSystemDirectoryTests {
    private let fence = FileFence()

    @Test("66. Entries that come, go or are renamed are writes", arguments: Folder.Place.allCases)
    func entries(place: Folder.Place) {
        let folder = Folder(place)
        let observer = FileObserver(folder.path)
        let file = folder.makeFile("file")
        #expect(observer.events(beyond: fence) == .write)
        rename(file, folder("other"))
        #expect(observer.events(beyond: fence) == .write)
        unlink(folder("other"))
        #expect(observer.events(beyond: fence) == .write)
        symlink("nowhere", folder("symbolic"))
        #expect(observer.events(beyond: fence) == .write)
        observer.end()
    }

    @Test("66. Changes of an entry itself are not reported", arguments: Folder.Place.allCases)
    func insideEntries(place: Folder.Place) {
        let folder = Folder(place)
        let file = folder.makeFile("file")
        folder.makeDirectory("directory")
        let observer = FileObserver(folder.path)
        append(10, to: file)
        chmod(file, 0o640)
        chmod(folder("directory"), 0o750)
        folder.makeFile("directory/inner")
        #expect(observer.events(beyond: fence) == [])
        observer.end()
    }

    @Test("66. Subdirectories count as links", arguments: Folder.Place.allCases)
    func subdirectories(place: Folder.Place) {
        let folder = Folder(place)
        let elsewhere = Folder(place)
        let observer = FileObserver(folder.path)
        folder.makeDirectory("first")
        #expect(observer.events(beyond: fence) == [.write, .link])
        rename(folder("first"), folder("second"))
        #expect(observer.events(beyond: fence) == .write)
        rename(folder("second"), elsewhere("second"))
        #expect(observer.events(beyond: fence) == [.write, .link])
        rename(elsewhere("second"), folder("third"))
        #expect(observer.events(beyond: fence) == [.write, .link])
        folder.makeDirectory("fourth")
        #expect(observer.events(beyond: fence) == [.write, .link])
        // One subdirectory less.
        rename(folder("third"), folder("fourth"))
        #expect(observer.events(beyond: fence) == [.write, .link])
        rmdir(folder("fourth"))
        #expect(observer.events(beyond: fence) == [.write, .link])
        mkdir(folder("short"), 0o700)
        rmdir(folder("short"))
        #expect(observer.events(beyond: fence) == [.write, .link])
        observer.end()
    }

    @Test("A source of writes alone keeps no record of subdirectories that move away")
    func movesWithoutLinks() {
        let (folder, elsewhere) = (Folder(), Folder())
        folder.makeDirectory("sub")
        let watches = FileSystemWatches { () throws(SystemError) in try InotifyDescriptor() }
        let observer = FileObserver(folder.path, .write, watches: watches)
        rename(folder("sub"), elsewhere("sub"))
        expectEventually(observer.calls) { $0 == [.write] }
        #expect(watches.nodes.count == 1)
        #expect(!watches.nodes.values.contains { $0.moves.isChange(isCounted: false) })
        observer.end()
    }

    @Test("66. Attributes of the directory", arguments: Folder.Place.allCases)
    func attributes(place: Folder.Place) {
        let folder = Folder(place)
        let observer = FileObserver(folder.path)
        chmod(folder.path, 0o750)
        #expect(observer.events(beyond: fence) == .attrib)
        utimes(folder.path, nil)
        #expect(observer.events(beyond: fence) == .attrib)
        observer.end()
    }

    @Test("66. Removal of an open directory is reported", arguments: Folder.Place.allCases)
    func removal(place: Folder.Place) {
        let folder = Folder(place)
        for mask: FileSystemEvent in [.all, .delete] {
            let directory = folder.makeDirectory("directory")
            let sibling = folder.makeDirectory("sibling")
            let observers = [FileObserver(directory, mask), FileObserver(sibling, mask)]
            rmdir(directory)
            #expect(observers[0].events(beyond: fence) == .delete)
            #expect(observers[1].events(beyond: fence) == [])
            rmdir(sibling)
            #expect(observers[1].events(beyond: fence) == .delete)
            #expect(observers[0].events(beyond: fence) == [])
            for observer in observers { observer.end() }
        }
    }

    @Test("66. A removal is reported wherever the directory was moved to")
    func movedAndRemoved() {
        for place in Folder.Place.allCases {
            let folder = Folder(place)
            let elsewhere = Folder(place)
            let directory = folder.makeDirectory("directory")
            let observer = FileObserver(directory)
            rename(directory, elsewhere("moved"))
            #expect(observer.events(beyond: fence) == .rename)
            rmdir(elsewhere("moved"))
            #expect(observer.events(beyond: fence) == .delete)
            observer.end()

            folder.makeDirectory("directory")
            let quick = FileObserver(directory, .delete)
            rename(directory, elsewhere("moved"))
            rmdir(elsewhere("moved"))
            #expect(quick.events(beyond: fence) == .delete)
            #expect(quick.calls.value.isEmpty)
            quick.end()
        }
    }

    @Test("66. An empty directory whose name another takes is deleted")
    func replaced() {
        for place in Folder.Place.allCases {
            let folder = Folder(place)
            let directory = folder.makeDirectory("directory")
            let new = folder.makeDirectory("new")
            let old = FileObserver(directory)
            rename(new, directory)
            #expect(old.events(beyond: fence) == .delete)
            old.end()
        }
    }

    @Test("A tree that is removed while each of its directories is watched, parents first and last")
    func tree() {
        let folder = Folder()
        var paths = [folder.makeDirectory("top")]
        for name in 0..<4 { paths.append(folder.makeDirectory("top/\(name)")) }
        for name in 0..<4 { paths.append(folder.makeDirectory("top/\(name)/inner")) }
        let observers = paths.map { FileObserver($0, [.delete, .link]) }
        for path in paths.reversed() { rmdir(path) }
        for (number, observer) in observers.enumerated() {
            let expected: FileSystemEvent = number < 5 ? [.delete, .link] : .delete
            #expect(observer.events(beyond: fence) == expected, "\(paths[number])")
        }
        for observer in observers { observer.end() }
    }

    @Test("The root directory, its own parent, can be watched")
    func root() {
        let asked = Watched(0)
        let watches = FileSystemWatches { () throws(SystemError) in
            try HookedInotify(beforeWatch: { _ in asked.increment() })
        }
        let fence = FileFence(watches: watches)
        let before = asked.value
        let observer = FileObserver("/", watches: watches)
        #expect(asked.value > before)
        #expect(observer.source.error == nil)
        // Its mode as it is, which only its owner may set.
        var status = stat()
        #expect(stat("/", &status) == 0)
        let isOwner = chmod("/", status.st_mode & 0o7777) == 0
        #expect(observer.events(beyond: fence).contains(.attrib) == isOwner)
        observer.end()
    }
}
