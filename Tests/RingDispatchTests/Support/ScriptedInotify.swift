import Glibc
import LinuxPlatform

/// A fake inotify for behaviour that a test cannot force on the kernel. The test decides when calls
/// fail and events arrive.
final class ScriptedInotify: Inotify {
    private let channel = Channel(.pipe)
    /// The `errno` of each future call; 0: it succeeds.
    let refusals = Watched<[Int32]>([])
    /// This many future watches are lost once they are made, without an event.
    let losses = Watched(0)
    /// The targets of the existing watches, by number.
    let watches = Watched<[Int32: String]>([:])
    private let lastNumber = Watched<Int32>(0)
    /// Gives every watch for the same file the same number, as the kernel does.
    private let numbers = Watched<[FileIdentity: Int32]>([:])
    let isClosed = Watched(false)

    struct FileIdentity: Hashable {
        let device: dev_t
        let number: ino_t
    }

    var descriptor: Int32 { channel.near }

    func watch(
        _ place: FilePlace, for mask: InotifyMask, isAdding: Bool
    ) throws(SystemError) -> Int32 {
        let code = refusals.update { $0.isEmpty ? 0 : $0.removeFirst() }
        if code != 0 { throw SystemError(call: "inotify_add_watch", code: code) }
        var status = stat()
        let path = place.withPath { String(cString: $0) }
        guard stat(path, &status) == 0 else {
            throw SystemError(call: "inotify_add_watch", code: errno)
        }
        let identity = FileIdentity(device: status.st_dev, number: status.st_ino)
        let number = numbers.update { numbers in
            if let number = numbers[identity] { return number }
            let number = lastNumber.update { last in
                last += 1
                return last
            }
            numbers[identity] = number
            return number
        }
        watches.update { $0[number] = path }
        let isLost = losses.update { losses in
            defer { losses = max(0, losses - 1) }
            return losses > 0
        }
        if isLost { forget(number) }
        return number
    }

    func unwatch(_ number: Int32) { send((number, .ended)) }

    private func forget(_ number: Int32) {
        watches.update { $0[number] = nil }
        numbers.update { numbers in numbers = numbers.filter { $0.value != number } }
    }

    func close() {
        channel.closeNear()
        isClosed.update { $0 = true }
    }

    /// Delivers the events, all at once.
    func send(_ events: (Int32, InotifyMask)...) {
        send(events.map { ($0, $1, isOfEntry: false) })
    }

    /// Delivers events of entries of a watched directory.
    func send(_ events: [(number: Int32, mask: InotifyMask, isOfEntry: Bool)]) {
        var words: [UInt32] = []
        for (number, mask, isOfEntry) in events {
            if mask.contains(.ended) { forget(number) }
            // Four bytes for the name, with no content.
            let name: [UInt32] = isOfEntry ? [4, 0] : [0]
            words += [UInt32(bitPattern: number), mask.rawValue, 0] + name
        }
        send(words)
    }

    /// Delivers one of the two events of a directory's renaming.
    func sendMove(of number: Int32, _ mask: InotifyMask, cookie: UInt32) {
        let bits = mask.union(.isDirectory).rawValue
        send([UInt32(bitPattern: number), bits, cookie, 4, 0])
    }

    private func send(_ words: [UInt32]) {
        _ = words.withUnsafeBytes { Glibc.write(channel.far, $0.baseAddress, $0.count) }
    }
}
