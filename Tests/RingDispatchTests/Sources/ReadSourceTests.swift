import Glibc
import RingDispatch
import Testing

@Suite("Read sources", .watchdog)
struct ReadSourceTests {
    private let queue = DispatchQueue(label: "read")

    @Test("60. The handler runs on the queue and receives the number of waiting bytes")
    func data() {
        let channel = Channel(.pipe)
        let source = DispatchSource.makeReadSource(fileDescriptor: channel.near, queue: queue)
        let calls = Watched<[UInt]>([])
        source.setEventHandler {
            dispatchPrecondition(condition: .onQueue(queue))
            calls.append(source.data)
            _ = readAll(from: channel.near)
        }
        #expect(source.handle == UInt(channel.near))
        write(512, to: channel.far)
        let cancelled = activate(source)
        expectEventually(calls) { $0 == [512] }
        finish(source, cancelled)
    }

    @Test("60. It is silent while nothing waits")
    func silent() {
        let channel = Channel(.socketPair)
        let source = DispatchSource.makeReadSource(fileDescriptor: channel.near, queue: queue)
        let calls = Watched(0)
        let registered = Gate()
        source.setRegistrationHandler { registered.open() }
        let cancelled = activate(source) {
            _ = readAll(from: channel.near)
            calls.increment()
        }
        expectOpens(registered)
        expectStays(calls, at: 0)
        // The source listens: the first byte calls the handler.
        write(1, to: channel.far)
        expectEventually(calls) { $0 == 1 }
        finish(source, cancelled)
    }

    @Test("60. It hears of bytes although the item that activated it blocks until then")
    func activatedByBlocked() {
        let channel = Channel(.pipe)
        let source = DispatchSource.makeReadSource(fileDescriptor: channel.near, queue: queue)
        let heard = Gate()
        source.setEventHandler {
            _ = readAll(from: channel.near)
            heard.open()
        }
        let cancelled = watchCancel(of: source)
        let left = Gate()
        DispatchQueue.global().async {
            source.activate()
            heard.pass()
            left.open()
        }
        write(1, to: channel.far)
        expectOpens(left)
        finish(source, cancelled)
    }

    @Test("60. Bytes that a handler leaves are announced again")
    func leftovers() {
        let channel = Channel(.socketPair)
        let source = DispatchSource.makeReadSource(fileDescriptor: channel.near, queue: queue)
        let received = Watched(0)
        let cancelled = activate(source) {
            var byte = UInt8(0)
            if read(channel.near, &byte, 1) == 1 { received.increment() }
        }
        write(100, to: channel.far)
        expectEventually(received) { $0 == 100 }
        finish(source, cancelled)
    }

    @Test(
        "60. A peer's end is announced as zero bytes, after what it sent",
        arguments: Channel.Kind.allCases)
    func end(kind: Channel.Kind) {
        let channel = Channel(kind)
        let source = DispatchSource.makeReadSource(fileDescriptor: channel.near, queue: queue)
        let received = Watched(0)
        let dataAtEnd = Watched<UInt?>(nil)
        source.setEventHandler {
            let data = source.data
            // Reads exactly the reported count, so that the end is reported by a separate call.
            var buffer = [UInt8](repeating: 0, count: max(1, Int(data)))
            let count = read(channel.near, &buffer, buffer.count)
            if count > 0 {
                received.increment(by: count)
            } else if count == 0 {
                dataAtEnd.update { $0 = data }
                source.cancel()
            }
        }
        write(10, to: channel.far)
        channel.closeFar()
        let cancelled = activate(source)
        expectEventually(dataAtEnd) { $0 != nil }
        #expect(received.value == 10)
        #expect(dataAtEnd.value == 0)
        finish(source, cancelled)
    }

    @Test("60. The end is announced to a source that was already waiting")
    func laterEnd() {
        let channel = Channel(.pipe)
        let source = DispatchSource.makeReadSource(fileDescriptor: channel.near, queue: queue)
        let atEnd = Gate()
        let cancelled = activate(source) {
            if readAll(from: channel.near).isAtEnd {
                atEnd.open()
                source.cancel()
            }
        }
        drain(queue)
        channel.closeFar()
        expectOpens(atEnd)
        finish(source, cancelled)
    }

    @Test("8. A suspended source keeps what arrives for later")
    func suspended() {
        let channel = Channel(.socketPair)
        let source = DispatchSource.makeReadSource(fileDescriptor: channel.near, queue: queue)
        let received = Watched(0)
        let cancelled = activate(source) {
            received.increment(by: readAll(from: channel.near).count)
        }
        source.suspend()
        write(10, to: channel.far)
        expectStays(received, at: 0)
        source.resume()
        expectEventually(received) { $0 == 10 }
        finish(source, cancelled)
    }

    @Test("Two megabytes arrive unchanged in length")
    func bulk() {
        let channel = Channel(.socketPair)
        let source = DispatchSource.makeReadSource(fileDescriptor: channel.near, queue: queue)
        let received = Watched(0)
        let cancelled = activate(source) {
            received.increment(by: readAll(from: channel.near).count)
        }
        let total = 2 << 20
        let writer = UserThread {
            var sent = 0
            while sent < total {
                let count = write(min(65536, total - sent), to: channel.far)
                if count > 0 { sent += count } else { sched_yield() }
            }
        }
        expectEventually(received) { $0 == total }
        #expect(writer.join())
        finish(source, cancelled)
    }

    @Test("A regular file is read to its end")
    func regularFile() {
        let folder = Folder()
        let file = folder.makeFile("file", [UInt8](repeating: 0, count: 100_000))
        let descriptor = open(file, O_RDWR | O_CLOEXEC)
        #expect(descriptor >= 0)
        defer { close(descriptor) }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        let received = Watched(0)
        let atEnd = Gate()
        let cancelled = activate(source) {
            var buffer = [UInt8](repeating: 0, count: 8192)
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                received.increment(by: count)
            } else {
                source.cancel()
                atEnd.open()
            }
        }
        expectOpens(atEnd)
        #expect(received.value == 100_000)
        finish(source, cancelled)
    }

    @Test("60. A listening socket announces each connection")
    func listener() {
        let listener = socket(AF_INET, streamKind | Int32(SOCK_NONBLOCK.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in(port: 0)
        var length = sockaddr_in.length
        let peers = Watched<[Int32]>([])
        let isListening = address.withSockaddr {
            bind(listener, $0, length) == 0 && listen(listener, 16) == 0
                && getsockname(listener, $0, &length) == 0
        }
        #expect(isListening)
        let source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
        let cancelled = activate(source) {
            #expect(source.data >= 1)
            while true {
                let peer = accept(listener, nil, nil)
                if peer < 0 { return }
                peers.append(peer)
            }
        }
        for count in 1...5 {
            let client = socket(AF_INET, streamKind, 0)
            connect(client, to: UInt16(bigEndian: address.sin_port))
            expectEventually(peers) { $0.count == count }
            close(client)
        }
        finish(source, cancelled)
        for peer in peers.value { close(peer) }
    }
}
