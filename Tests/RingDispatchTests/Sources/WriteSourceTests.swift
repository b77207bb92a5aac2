import Glibc
import RingDispatch
import Testing

@Suite("Write sources", .watchdog)
struct WriteSourceTests {
    private let queue = DispatchQueue(label: "write")

    @Test("61. A writable descriptor is announced, with the room that it has")
    func writable() {
        let channel = Channel(.socketPair)
        let source = DispatchSource.makeWriteSource(fileDescriptor: channel.far, queue: queue)
        let data = Watched<UInt?>(nil)
        source.setEventHandler {
            dispatchPrecondition(condition: .onQueue(queue))
            data.update { $0 = $0 ?? source.data }
            source.cancel()
        }
        #expect(source.handle == UInt(channel.far))
        let cancelled = activate(source)
        expectEventually(data) { $0 != nil }
        #expect((data.value ?? 0) > 0)
        finish(source, cancelled)
    }

    @Test(
        "61. A full descriptor is announced once somebody has read",
        arguments: Channel.Kind.allCases)
    func full(kind: Channel.Kind) {
        let channel = Channel(kind)
        let filled = fill(channel.far)
        let source = DispatchSource.makeWriteSource(fileDescriptor: channel.far, queue: queue)
        let calls = Watched(0)
        let registered = Gate()
        source.setRegistrationHandler { registered.open() }
        let cancelled = activate(source) {
            calls.increment()
            source.cancel()
        }
        expectOpens(registered)
        expectStays(calls, at: 0)
        #expect(readAll(from: channel.near).count == filled)
        expectEventually(calls) { $0 == 1 }
        finish(source, cancelled)
    }

    @Test("61. It is announced repeatedly while there is room")
    func level() {
        let channel = Channel(.socketPair)
        let source = DispatchSource.makeWriteSource(fileDescriptor: channel.far, queue: queue)
        let calls = Watched(0)
        let cancelled = activate(source) { calls.increment() }
        expectEventually(calls) { $0 >= 10 }
        source.suspend()
        drain(queue)
        let count = calls.value
        expectStays(calls, at: count)
        source.resume()
        expectEventually(calls) { $0 > count }
        finish(source, cancelled)
    }

    @Test("A full pipe whose reader is gone is announced")
    func readerGone() {
        signal(SIGPIPE, SIG_IGN)
        let channel = Channel(.pipe)
        fill(channel.far)
        let source = DispatchSource.makeWriteSource(fileDescriptor: channel.far, queue: queue)
        let error = Watched<Int32?>(nil)
        let cancelled = activate(source) {
            let code = write(1, to: channel.far) < 0 ? errno : 0
            error.update { $0 = code }
            source.cancel()
        }
        drain(queue)
        channel.closeNear()
        expectEventually(error) { $0 == EPIPE }
        finish(source, cancelled)
    }

    @Test("68. A read and a write source share a descriptor and are cancelled one by one")
    func shared() {
        let channel = Channel(.socketPair)
        let reader = DispatchSource.makeReadSource(fileDescriptor: channel.near, queue: queue)
        let writer = DispatchSource.makeWriteSource(fileDescriptor: channel.near, queue: queue)
        let received = Watched(0)
        let writable = Watched(0)
        reader.setEventHandler { received.increment(by: readAll(from: channel.near).count) }
        writer.setEventHandler { writable.increment() }
        let readerCancelled = activate(reader)
        let writerCancelled = activate(writer)
        expectEventually(writable) { $0 >= 1 }
        write(5, to: channel.far)
        expectEventually(received) { $0 == 5 }
        finish(writer, writerCancelled)
        let count = writable.value
        write(5, to: channel.far)
        expectEventually(received) { $0 == 10 }
        #expect(writable.value == count)
        finish(reader, readerCancelled)
    }

    @Test("68. Several read sources on one descriptor are all notified")
    func severalReaders() {
        let channel = Channel(.socketPair)
        let notified = Watched<Set<Int>>([])
        let sources = (0..<3).map { number in
            let source = DispatchSource.makeReadSource(
                fileDescriptor: channel.near, queue: DispatchQueue(label: "write.\(number)"))
            let cancelled = activate(source) { notified.update { _ = $0.insert(number) } }
            return (source, cancelled)
        }
        write(1, to: channel.far)
        expectEventually(notified) { $0.count == 3 }
        for (source, cancelled) in sources { finish(source, cancelled) }
    }

    @Test("Regular files share read and write sources as well")
    func regularFile() {
        let folder = Folder()
        let file = folder.makeFile("file", [UInt8](repeating: 0, count: 100))
        let descriptor = open(file, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        let reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        let writer = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        let readable = Gate()
        let writable = Gate()
        reader.setEventHandler {
            readable.open()
            reader.cancel()
        }
        writer.setEventHandler {
            writable.open()
            writer.cancel()
        }
        let readerCancelled = activate(reader)
        let writerCancelled = activate(writer)
        expectOpens(readable)
        expectOpens(writable)
        finish(reader, readerCancelled)
        finish(writer, writerCancelled)
    }
}
