import Glibc
@testable import LinuxPlatform
import Testing

@Suite("The bytes of inotify")
struct FileEventsTests {
    private func read(_ bytes: [UInt8]) -> [InotifyEvent] {
        var pair: [Int32] = [-1, -1]
        pipe(&pair)
        defer { for descriptor in pair { close(descriptor) } }
        _ = write(pair[1], bytes, bytes.count)
        let events = InotifyEventBuffer()
        events.read(from: pair[0])
        var found: [InotifyEvent] = []
        events.forEach { event, _ in found.append(event) }
        return found
    }

    private func bytes(_ words: UInt32..., name: [UInt8] = []) -> [UInt8] {
        words.flatMap { word in withUnsafeBytes(of: word) { Array($0) } } + name
    }

    @Test("events with and without a name, one after another")
    func several() {
        let name: [UInt8] = Array("entry".utf8) + [UInt8](repeating: 0, count: 11)
        let found = read(
            bytes(1, 0x2, 0, 0) + bytes(7, 0x4000_0040, 99, 16, name: name)
                + bytes(.max, 0x4000, 0, 0))
        #expect(
            found == [
                InotifyEvent(watch: 1, mask: .modified, cookie: 0, isOfEntry: false),
                InotifyEvent(
                    watch: 7, mask: [.movedFrom, .isDirectory], cookie: 99, isOfEntry: true),
                InotifyEvent(watch: -1, mask: .overflowed, cookie: 0, isOfEntry: false),
            ])
    }

    @Test("a truncated event, or one with a wrong length, ends the buffer")
    func malformed() {
        let good = bytes(1, 0x2, 0, 0)
        for cut in 1..<16 { #expect(read(good + good.prefix(cut)).count == 1) }
        for length: UInt32 in [1, 3, 17, 4096, .max, 0x7fff_ffff, 0x8000_0000] {
            #expect(read(good + bytes(2, 2, 0, length) + good).count == 1, "\(length)")
        }
    }

    @Test("random bytes never lead outside of the buffer")
    func noise() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let count = Int.random(in: 1...400, using: &generator)
            let noise = (0..<count).map { _ in
                // Small numbers, so that the events are valid.
                Bool.random(using: &generator) ? 0 : UInt8.random(in: 0...20, using: &generator)
            }
            #expect(read(noise).count <= count / 16)
        }
    }

    @Test("the library's bits equal the kernel's")
    func bits() {
        let pairs: [(InotifyMask, Int)] = [
            (.modified, Int(IN_MODIFY)), (.attributes, Int(IN_ATTRIB)),
            (.movedFrom, Int(IN_MOVED_FROM)), (.movedTo, Int(IN_MOVED_TO)),
            (.created, Int(IN_CREATE)), (.deleted, Int(IN_DELETE)),
            (.selfDeleted, Int(IN_DELETE_SELF)), (.selfMoved, Int(IN_MOVE_SELF)),
            (.unmounted, Int(IN_UNMOUNT)), (.overflowed, Int(IN_Q_OVERFLOW)),
            (.ended, Int(IN_IGNORED)), (.isDirectory, Int(IN_ISDIR)),
        ]
        for (change, bit) in pairs { #expect(Int(change.rawValue) == bit) }
    }

    @Test("inotify refuses a missing path, and the error names the call")
    func refusal() throws {
        let inotify = try InotifyDescriptor()
        defer { inotify.close() }
        #expect(throws: SystemError(call: "inotify_add_watch", code: ENOENT)) {
            try inotify.watch(.object(descriptor: 9999), for: .modified, isAdding: true)
        }
    }
}
