import Glibc
import RingDispatch
import Testing

/// The end of a file, hang-ups and errors are reported exactly once.
@Suite("Ends and errors of descriptors", .watchdog)
struct DescriptorEndTests {
    private let queue = DispatchQueue(label: "end")

    /// A read source whose handler reads nothing and records the reported counts.
    private func watchRead(
        _ descriptor: Int32, taking: @escaping @Sendable () -> Void = {}
    ) -> (source: any DispatchSourceRead, reported: Watched<[UInt]>, cancelled: Gate) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        let reported = Watched<[UInt]>([])
        source.setEventHandler { [unowned source] in
            reported.append(source.data)
            taking()
        }
        let cancelled = activate(source)
        return (source, reported, cancelled)
    }

    @Test("A hang-up that the handler ignores is reported once", arguments: Channel.Kind.allCases)
    func hangUp(kind: Channel.Kind) {
        let channel = Channel(kind)
        let (source, reported, cancelled) = watchRead(channel.near)
        channel.closeFar()
        expectEventually(reported) { $0 == [0] }
        expectStays(reported, at: [0])
        finish(source, cancelled)
    }

    @Test(
        "60. Bytes before a hang-up are reported with their count, then the end",
        arguments: Channel.Kind.allCases)
    func bytesFirst(kind: Channel.Kind) {
        let channel = Channel(kind)
        write(10, to: channel.far)
        channel.closeFar()
        let (source, reported, cancelled) = watchRead(channel.near) {
            var buffer = [UInt8](repeating: 0, count: 4)
            _ = read(channel.near, &buffer, buffer.count)
        }
        expectEventually(reported) { $0.last == 0 }
        expectStays(reported, at: [10, 6, 2, 0])
        finish(source, cancelled)
    }

    @Test("A half-closed connection tells its end once")
    func halfClose() {
        let channel = Channel(.socketPair)
        let (source, reported, cancelled) = watchRead(channel.near)
        shutdown(channel.far, Int32(SHUT_WR))
        expectEventually(reported) { $0 == [0] }
        expectStays(reported, at: [0])
        finish(source, cancelled)
    }

    @Test("Suspend and resume ask again")
    func askAgain() {
        let channel = Channel(.pipe)
        let (source, reported, cancelled) = watchRead(channel.near)
        channel.closeFar()
        expectEventually(reported) { $0 == [0] }
        drain(queue)
        source.suspend()
        source.resume()
        expectEventually(reported) { $0 == [0, 0] }
        finish(source, cancelled)
    }

    @Test("A named pipe goes on with its next writer")
    func namedPipe() {
        let folder = Folder()
        let path = folder("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let first = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let (source, reported, cancelled) = watchRead(reader) { _ = readAll(from: reader) }
        close(first)
        expectEventually(reported) { $0 == [0] }
        let second = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(second) }
        drain(queue)
        source.suspend()
        source.resume()
        write(3, to: second)
        expectEventually(reported) { $0.last == 3 }
        finish(source, cancelled)
    }

    @Test("A regular file's end is reported once, and again after it has grown")
    func regularFile() {
        let folder = Folder()
        let file = folder.makeFile("file", [UInt8](repeating: 0, count: 100))
        let descriptor = open(file, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        let (source, reported, cancelled) = watchRead(descriptor) { _ = readAll(from: descriptor) }
        expectEventually(reported) { $0 == [100, 0] }
        expectStays(reported, at: [100, 0])
        let bytes = [UInt8](repeating: 1, count: 50)
        #expect(pwrite(descriptor, bytes, 50, 100) == 50)
        source.suspend()
        source.resume()
        expectEventually(reported) { $0 == [100, 0, 50, 0] }
        finish(source, cancelled)
    }

    @Test("60. A file with more than 2 GiB left is not at its end")
    func longFile() {
        let folder = Folder()
        let descriptor = open(folder.makeFile("file", []), O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        for length in [3 << 30, 4 << 30] {
            #expect(ftruncate(descriptor, length) == 0)
            let (source, reported, cancelled) = watchRead(descriptor)
            expectEventually(reported) { $0.count >= 2 }
            #expect(reported.value.allSatisfy { $0 == UInt(length) })
            finish(source, cancelled)
        }
    }

    @Test("/dev/null tells its end once, /dev/zero goes on")
    func characterDevices() {
        let null = open("/dev/null", O_RDONLY)
        let zero = open("/dev/zero", O_RDONLY)
        defer {
            close(null)
            close(zero)
        }
        let (nullSource, nullReported, nullCancelled) = watchRead(null)
        expectEventually(nullReported) { $0 == [0] }
        expectStays(nullReported, at: [0])
        finish(nullSource, nullCancelled)
        let (zeroSource, zeroReported, zeroCancelled) = watchRead(zero)
        expectEventually(zeroReported) { $0.count >= 3 }
        finish(zeroSource, zeroCancelled)
    }

    @Test("A closed descriptor is an error, reported once")
    func closedDescriptor() {
        let channel = Channel(.pipe)
        let number = fcntl(channel.near, F_DUPFD_CLOEXEC, 900)
        close(number)
        let (source, reported, cancelled) = watchRead(number)
        expectEventually(reported) { $0 == [0] }
        expectStays(reported, at: [0])
        finish(source, cancelled)
    }

    @Test(
        "A number that no descriptor can have is an error, reported once",
        arguments: [10_000_000, .max] as [Int32])
    func impossibleDescriptor(number: Int32) {
        let (source, reported, cancelled) = watchRead(number)
        expectEventually(reported) { $0 == [0] }
        expectStays(reported, at: [0])
        finish(source, cancelled)
    }

    @Test("A datagram socket goes on after an error that the handler has taken")
    func datagramError() throws {
        let receiver = try Datagrams()
        let refused = try Datagrams()
        let descriptor = receiver.descriptor
        let (source, reported, cancelled) = watchRead(descriptor) {
            var buffer = [UInt8](repeating: 0, count: 64)
            _ = recv(descriptor, &buffer, buffer.count, 0)
        }
        #expect(receiver.connect(to: refused))
        refused.close()
        // The receiver is gone: the kernel reports that to the sender.
        _ = write(1, to: descriptor)
        expectEventually(reported) { $0.count == 1 }
        drain(queue)
        let peer = try Datagrams(port: refused.port)
        #expect(peer.connect(to: receiver))
        write(5, to: peer.descriptor)
        expectEventually(reported) { $0.last == 5 }
        finish(source, cancelled)
    }

    @Test("The loss of a writer's reader is reported once", arguments: Channel.Kind.allCases)
    func readerGone(kind: Channel.Kind) {
        let channel = Channel(kind)
        fill(channel.far)
        let source = DispatchSource.makeWriteSource(fileDescriptor: channel.far, queue: queue)
        let calls = Watched(0)
        let cancelled = activate(source) { calls.increment() }
        drain(queue)
        channel.closeNear()
        expectEventually(calls) { $0 == 1 }
        expectStays(calls, at: 1)
        finish(source, cancelled)
    }
}

/// A UDP socket on the loopback address.
private final class Datagrams {
    let descriptor: Int32
    private var address: sockaddr_in

    struct Failure: Error { let code: Int32 }

    var port: UInt16 { UInt16(bigEndian: address.sin_port) }

    init(port: UInt16 = 0) throws {
        // Close-on-exec, so that no child keeps the port open.
        let kind = Int32(
            SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        self.descriptor = descriptor
        address = sockaddr_in(port: port)
        var length = sockaddr_in.length
        let isBound = address.withSockaddr {
            bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
        }
        guard isBound else { throw Failure(code: errno) }
    }

    deinit { close() }

    private var isClosed = false

    func close() {
        if !isClosed { Glibc.close(descriptor) }
        isClosed = true
    }

    func connect(to other: Datagrams) -> Bool {
        other.address.withSockaddr { Glibc.connect(descriptor, $0, sockaddr_in.length) == 0 }
    }
}
