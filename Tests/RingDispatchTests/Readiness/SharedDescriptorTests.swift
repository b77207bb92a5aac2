import Glibc
import RingDispatch
import Testing

@Suite("Several sources on one descriptor", .watchdog)
struct SharedDescriptorTests {
    /// A source that suspends itself when it is called, so that `resume` asks for one more call.
    private struct Asked {
        let source: any DispatchSourceProtocol
        let calls = Watched(0)
        let cancelled: Gate

        init(_ source: any DispatchSourceProtocol) {
            self.source = source
            cancelled = activate(source) { [unowned source, calls] in
                source.suspend()
                calls.increment()
            }
        }

        func end() {
            source.cancel()
            source.resume()
            expectOpens(cancelled, "no cancel handler")
        }
    }

    private func makeReader(_ descriptor: Int32, _ name: String) -> Asked {
        Asked(
            DispatchSource.makeReadSource(
                fileDescriptor: descriptor, queue: DispatchQueue(label: "shared.\(name)")))
    }

    @Test("68. Two read sources and a write source each get their events, and go on without others")
    func three() {
        let channel = Channel(.socketPair)
        fill(channel.near)
        let (first, second) = (makeReader(channel.near, "1"), makeReader(channel.near, "2"))
        let writer = Asked(
            DispatchSource.makeWriteSource(
                fileDescriptor: channel.near, queue: DispatchQueue(label: "shared.w")))
        write(1, to: channel.far)
        expectEventually(first.calls) { $0 == 1 }
        expectEventually(second.calls) { $0 == 1 }
        #expect(writer.calls.value == 0)
        _ = readAll(from: channel.near)
        _ = readAll(from: channel.far)
        expectEventually(writer.calls) { $0 == 1 }
        first.end()
        second.source.resume()
        expectStays(second.calls, at: 1)
        write(1, to: channel.far)
        expectEventually(second.calls) { $0 == 2 }
        second.end()
        writer.source.resume()
        expectEventually(writer.calls) { $0 == 2 }
        writer.end()
        #expect(first.calls.value == 1)
    }

    @Test("A read source and a write source of a regular file are always ready, side by side")
    func regularFile() {
        let folder = Folder()
        let descriptor = open(folder.makeFile("file", [1, 2, 3]), O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        let (readerCalls, writerCalls) = (Watched(0), Watched(0))
        let reader = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "shared.file.r"))
        let writer = DispatchSource.makeWriteSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "shared.file.w"))
        let readerCancelled = activate(reader) { readerCalls.increment() }
        let writerCancelled = activate(writer) { writerCalls.increment() }
        expectEventually(readerCalls) { $0 >= 5 }
        expectEventually(writerCalls) { $0 >= 5 }
        finish(reader, readerCancelled)
        finish(writer, writerCancelled)
    }
}
