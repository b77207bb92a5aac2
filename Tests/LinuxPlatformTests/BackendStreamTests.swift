import Glibc
import LinuxPlatform
import Testing

/// The contract of all back ends for receiving from streams.
@Suite("Streams of a kernel")
struct BackendStreamTests {
    /// Receives this many bytes, or until the end.
    private static func bytes(
        _ backend: IOBackend, _ descriptor: Int32, isUnix: Bool = false, count: Int = .max,
        completionsAtOnce: Int = 16
    ) -> (bytes: [UInt8], end: Int32?) {
        let buffers = backend.receiveBuffers
        var bytes: [UInt8] = []
        backend.receive(descriptor: descriptor, isUnix: isUnix, token: 1)
        while bytes.count < count {
            let found = backend.waitForCompletions(atMost: completionsAtOnce)
            if found.isEmpty { return (bytes, nil) }
            for completion in found {
                if let number = completion.buffer {
                    bytes += UnsafeRawBufferPointer(
                        start: buffers[number], count: Int(completion.result))
                    backend.giveBack(buffer: number)
                }
                if completion.hasMore { continue }
                // After a lack of buffers, receiving continues on request.
                if completion.result != -ErrorCode.noBuffers { return (bytes, completion.result) }
                backend.receive(descriptor: descriptor, isUnix: isUnix, token: 1)
            }
        }
        return (bytes, nil)
    }

    @Test(
        "bytes come in order, all of them, and then the end",
        arguments: BackendUnderTest.allCases, [1, 16])
    func bytesAndEnd(_ kind: BackendUnderTest, completionsAtOnce: Int) throws {
        let backend = try kind.makeBackend()
        let pair = try SocketPair.tcp()
        let bytes = Self.million
        let count = bytes.count
        let far = pair.far.number
        try Threads.start {
            var sent = 0
            while sent < count {
                sent += bytes[sent...].withUnsafeBytes {
                    max(0, Glibc.send(far, $0.baseAddress, $0.count, 0))
                }
            }
            shutdown(far, Int32(SHUT_WR))
        }
        let found = Self.bytes(backend, pair.near.number, completionsAtOnce: completionsAtOnce)
        #expect(found.end == 0)
        #expect(found.bytes.count == count)
        // Outside of the macro, which would print them.
        let areSame = found.bytes == bytes
        #expect(areSame)
    }

    /// Bytes that repeat at an offset where no buffer ends.
    private static let million = {
        let block = (0..<62_500).map { UInt8(truncatingIfNeeded: $0 / 251) }
        return Array(repeatElement(block, count: 16).joined())
    }()

    @Test(
        "the end that arrives with the last bytes is reported",
        arguments: BackendUnderTest.allCases, [false, true])
    func endWithBytes(_ kind: BackendUnderTest, isUnix: Bool) throws {
        let backend = try kind.makeBackend()
        let pair = isUnix ? SocketPair() : try SocketPair.tcp()
        pair.send("goodbye")
        pair.finish()
        let found = Self.bytes(backend, pair.near.number, isUnix: isUnix)
        #expect(String(decoding: found.bytes, as: UTF8.self) == "goodbye")
        #expect(found.end == 0)
    }

    @Test(
        "bytes behind urgent ones arrive without the urgent byte",
        arguments: BackendUnderTest.allCases)
    func urgent(_ kind: BackendUnderTest) throws {
        let backend = try kind.makeBackend()
        let pair = try SocketPair.tcp()
        pair.send("before")
        pair.send("!", flags: Int32(MSG_OOB))
        pair.send("behind")
        let found = Self.bytes(backend, pair.near.number, count: 12)
        #expect(String(decoding: found.bytes, as: UTF8.self) == "beforebehind")
    }

    @Test(
        "urgent bytes alone do not make a waiting event loop busy",
        arguments: BackendUnderTest.allCases, [false, true])
    func onlyUrgent(_ kind: BackendUnderTest, waitsForRoom: Bool) throws {
        let backend = try kind.makeBackend()
        let pair = try SocketPair.tcp()
        let near = pair.near.number
        backend.receive(descriptor: near, isUnix: false, token: 1)
        if waitsForRoom {
            let bytes = [UInt8](repeating: 0, count: 65_536)
            while Glibc.send(near, bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
            backend.register(descriptor: near, events: PollEvents.writable, token: 2)
        }
        pair.send("!", flags: Int32(MSG_OOB))
        var waits = 0
        let start = MonotonicClock.nanoseconds()
        while MonotonicClock.nanoseconds() - start < 50_000_000 {
            backend.wait(timeoutNanoseconds: 50_000_000)
            #expect(backend.completions().isEmpty)
            waits += 1
        }
        // Signals of other tests end some early; a busy loop would wait thousands of times.
        #expect(waits < 100)
    }

    @Test(
        "bytes that arrive between a stop and a new start are received",
        arguments: BackendUnderTest.allCases
    )
    func stopAndStart(_ kind: BackendUnderTest) throws {
        let backend = try kind.makeBackend()
        let pair = try SocketPair.tcp()
        let near = pair.near.number
        for text in ["one", "two", "three"] {
            #expect(Self.bytes(backend, near, count: 0).bytes.isEmpty)
            backend.submit()
            backend.cancelStream(descriptor: near, token: 1)
            #expect(backend.waitForCompletions().map(\.result) == [-ECANCELED])
            pair.send(text)
            let found = Self.bytes(backend, near, count: text.utf8.count)
            #expect(String(decoding: found.bytes, as: UTF8.self) == text)
            backend.cancelStream(descriptor: near, token: 1)
            #expect(backend.waitForCompletions().map(\.result) == [-ECANCELED])
        }
    }

    @Test(
        "a wait for writability may run while a stream receives",
        arguments: BackendUnderTest.allCases)
    func roomBesides(_ kind: BackendUnderTest) throws {
        let backend = try kind.makeBackend()
        _ = backend.receiveBuffers
        let pair = try SocketPair.tcp()
        let near = pair.near.number
        backend.receive(descriptor: near, isUnix: false, token: 1)
        for _ in 0..<3 {
            backend.register(descriptor: near, events: PollEvents.writable, token: 2)
            #expect(backend.waitForCompletions().map(\.token) == [2])
            pair.send()
            let found = backend.waitForCompletions()
            #expect(found.map(\.token) == [1])
            for number in found.compactMap(\.buffer) { backend.giveBack(buffer: number) }
        }
        backend.wait(timeoutNanoseconds: 1_000_000)
        #expect(backend.completions().isEmpty)
    }

    @Test(
        "an event for a released stream does not reach the number's next owner",
        arguments: BackendUnderTest.allCases)
    func released(_ kind: BackendUnderTest) throws {
        let backend = try kind.makeBackend()
        _ = backend.receiveBuffers
        let first = try SocketPair.tcp()
        let second = try SocketPair.tcp()
        backend.receive(descriptor: first.near.number, isUnix: false, token: 1)
        backend.receive(descriptor: second.near.number, isUnix: false, token: 2)
        first.send()
        second.send()
        // One of the two has been reported, but not taken.
        let reported = backend.waitForCompletions(atMost: 1).first?.token
        let unreported: UInt64 = reported == 1 ? 2 : 1
        let number = unreported == 1 ? first.near.number : second.near.number
        backend.cancelStream(descriptor: number, token: unreported)
        let hasEnded = (0..<10).contains { _ in
            backend.waitForCompletions(atMost: 1).contains {
                $0.token == unreported && !$0.hasMore
            }
        }
        try #require(hasEnded)
        backend.release(descriptor: number)
        let after = try SocketPair.tcp()
        #expect(dup2(after.near.number, number) == number)
        backend.register(descriptor: number, events: PollEvents.readable, token: 3)
        backend.wait(timeoutNanoseconds: 1_000_000)
        #expect(!backend.completions().contains { $0.token == 3 })
        after.send()
        #expect(backend.waitForCompletions().map(\.token) == [3])
    }
}
