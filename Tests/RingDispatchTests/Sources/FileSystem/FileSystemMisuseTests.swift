import Glibc
import RingDispatch
import Testing

@Suite("Misuse of file-system sources traps with a message that names it", .serialized)
struct FileSystemMisuseTests {
    @Test("A descriptor that is not open")
    func closed() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DispatchSource.makeFileSystemObjectSource(fileDescriptor: 9999, eventMask: .all)
        }
        expectMessage(result, naming: "9999", "not open")
    }

    @Test("An empty mask")
    func emptyMask() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DispatchSource.makeFileSystemObjectSource(fileDescriptor: 2, eventMask: [])
        }
        expectMessage(result, naming: "event mask 0", "descriptor 2")
    }

    @Test("A mask of unknown events")
    func unknownEvents() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: 2, eventMask: DispatchSource.FileSystemEvent(rawValue: 0x82))
        }
        expectMessage(result, naming: "event mask 130")
    }

    @Test("Locks that are given up, which Linux does not tell")
    func locks() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = try DispatchSource.makeFileSystemObjectSource(
                path: "/", eventMask: [.write, .funlock])
        }
        expectMessage(result, naming: "funlock", "leave it out")
    }
}
