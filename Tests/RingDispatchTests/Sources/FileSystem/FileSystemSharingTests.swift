import Glibc
@testable import RingDispatch
import LinuxPlatform
import Testing

@Suite("File-system sources that share a file", .watchdog)
struct FileSystemSharingTests {
    private let fence = FileFence()

    @Test("Each source reports the events of its own mask", arguments: Folder.Place.allCases)
    func masks(place: Folder.Place) {
        let folder = Folder(place)
        let file = folder.makeFile("file")
        let masks: [FileSystemEvent] = [
            .write, .attrib, [.extend, .rename], [.link, .delete], .all,
        ]
        let observers = masks.map { FileObserver(file, $0) }
        append(5, to: file)
        chmod(file, 0o640)
        link(file, folder("second"))
        rename(file, folder("third"))
        let expected: [FileSystemEvent] = [
            .write, .attrib, [.extend, .rename], .link, [.write, .extend, .attrib, .link, .rename],
        ]
        for (observer, expected) in zip(observers, expected) {
            #expect(observer.events(beyond: fence) == expected)
        }
        for observer in observers { observer.end() }
    }

    @Test("Cancelling one leaves the others, in any order", arguments: Folder.Place.allCases)
    func cancelOne(place: Folder.Place) {
        let folder = Folder(place)
        let file = folder.makeFile("file")
        link(file, folder("second"))
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let masks: [FileSystemEvent] = [.all, .write, [.write, .attrib]]
            let names = ["file", "second", "file"]
            let observers = zip(names, masks).map { FileObserver(folder($0), $1) }
            for (position, number) in order.enumerated() {
                append(3, to: file)
                for left in order[position...] {
                    #expect(observers[left].events(beyond: fence).contains(.write))
                }
                observers[number].end()
                append(3, to: file)
                #expect(observers[number].events(beyond: fence) == [])
                for left in order[(position + 1)...] {
                    #expect(observers[left].events(beyond: fence).contains(.write))
                }
            }
        }
    }

    @Test("A mask that narrows asks the kernel for less")
    func narrowing() throws {
        let folder = Folder()
        let file = folder.makeFile("file")
        let asked = Watched<[InotifyMask]>([])
        let watches = FileSystemWatches { () throws(SystemError) in
            try HookedInotify(beforeWatch: { asked.append($0) })
        }
        let wide = FileObserver(file, [.write, .attrib, .rename], watches: watches)
        let narrow = FileObserver(file, .rename, watches: watches)
        wide.end()
        #expect(asked.value.last == [.selfDeleted, .selfMoved])
        narrow.end()
        #expect(asked.value.count == 3)
    }

    @Test("A directory can be watched for itself and for the removal of what is in it")
    func parentAndChild() {
        for place in Folder.Place.allCases {
            let folder = Folder(place)
            let child = folder.makeDirectory("child")
            // Both orders, and a parent that is watched without caring for its entries.
            for mask: FileSystemEvent in [.all, .attrib] {
                let parent = FileObserver(folder.path, mask)
                let observer = FileObserver(child, .delete)
                parent.end()
                chmod(child, 0o750)
                #expect(observer.events(beyond: fence) == [])
                let again = FileObserver(folder.path, mask)
                rmdir(child)
                #expect(observer.events(beyond: fence) == .delete)
                let entries: FileSystemEvent = [.write, .link]
                #expect(again.events(beyond: fence) == entries.intersection(mask))
                observer.end()
                chmod(folder.path, 0o750)
                #expect(again.events(beyond: fence) == .attrib)
                again.end()
                folder.makeDirectory("child")
            }
        }
    }
}
