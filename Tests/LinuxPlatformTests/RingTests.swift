import Glibc
import LinuxPlatform
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// For tests of io_uring. Where it is refused, the list of skipped tests says so.
    static var needsRing: Self {
        .enabled(
            if: (try? UringProbe.check()) != nil,
            "io_uring is refused here, so all tests ran on epoll")
    }
}

@Suite("Rings", .needsRing)
struct RingTests {
    private let ring: Ring

    init() throws { ring = try Ring() }

    /// Submits and waits until this many requests have ended. Returns their results by token.
    private func results(of ring: Ring, count: Int) -> [UInt64: Int32] {
        Self.results(of: ring, count: count)
    }

    private static func results(of ring: Ring, count: Int) -> [UInt64: Int32] {
        var results: [UInt64: Int32] = [:]
        while results.count < count {
            ring.wait()
            ring.reap { results[$0] = $1 }
        }
        return results
    }

    @Test("a file is opened, written and read")
    func file() throws {
        let path = "/tmp/ring-tests-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { unlink(path) }
        let descriptor = path.withCString { path -> Int32 in
            ring.start(
                FileRequest(.open(path, flags: O_RDWR | O_CREAT, mode: 0o600)), token: 1)
            return results(of: ring, count: 1)[1] ?? -1
        }
        try #require(descriptor >= 0)
        let file = OwnedDescriptor(adopting: descriptor)
        let text = Array("some bytes".utf8)
        text.withUnsafeBytes { bytes in
            let list = withUnsafePointer(to: bytes) {
                GatherList(UnsafeBufferPointer(start: $0, count: 1), limit: .max)
            }
            ring.start(
                FileRequest(.write(list, offset: 0), descriptor: file.number), token: 2)
            #expect(results(of: ring, count: 1) == [2: 10])
        }
        var found = [UInt8](repeating: 0, count: 20)
        found.withUnsafeMutableBytes { bytes in
            ring.start(
                FileRequest(.read(bytes, offset: 5), descriptor: file.number), token: 3)
            #expect(results(of: ring, count: 1) == [3: 5])
        }
        #expect(Array(found.prefix(5)) == Array("bytes".utf8))
    }

    @Test("an error is the negated errno")
    func error() {
        var byte: UInt8 = 0
        withUnsafeMutableBytes(of: &byte) { bytes in
            ring.start(FileRequest(.read(bytes, offset: 0), descriptor: 1_000_000), token: 4)
            #expect(results(of: ring, count: 1) == [4: -EBADF])
        }
    }

    @Test("a cancelled request completes, too")
    func cancel() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let reader = OwnedDescriptor(adopting: ends[0])
        let writer = OwnedDescriptor(adopting: ends[1])
        var byte: UInt8 = 0
        withUnsafeMutableBytes(of: &byte) { bytes in
            ring.start(
                FileRequest(.read(bytes, offset: -1), descriptor: reader.number), token: 5)
            ring.cancel(token: 5)
            let result = results(of: ring, count: 1)[5]
            #expect(result == -ECANCELED || result == -EINTR)
        }
        _ = writer.number
    }

    @Test("many requests that stay for long do not hold others up")
    func hungRequests() throws {
        let folder = Folder()
        let (hung, other) = (folder("hung"), folder("other"))
        try #require(mkfifo(hung, 0o600) == 0 && mkfifo(other, 0o600) == 0)
        // With O_CREAT a kernel thread opens the FIFO, and stays until a writer does, too.
        let flags = O_RDONLY | O_CREAT
        ring.allowManyBlocked()
        let count = 100
        hung.withCString { hung in
            for token in 1...count {
                ring.start(
                    FileRequest(.open(hung, flags: flags, mode: 0o600)), token: UInt64(token))
            }
            other.withCString { other in
                ring.start(FileRequest(.open(other, flags: flags, mode: 0o600)), token: 1000)
                let writers = Watched<[Int32]>([])
                let thread = UserThread { [hung = folder("hung"), other = folder("other")] in
                    // ENXIO: nobody reads yet.
                    let isInTime = poll {
                        let writer = open(other, O_WRONLY | O_NONBLOCK)
                        if writer >= 0 { writers.append(writer) }
                        return writer >= 0
                    }
                    #expect(isInTime, "the last request waits for the others")
                    writers.append(open(hung, O_WRONLY))
                    if !isInTime { writers.append(open(other, O_WRONLY)) }
                }
                let results = results(of: ring, count: count + 1)
                #expect(results.values.allSatisfy { $0 >= 0 })
                #expect(thread.join())
                for descriptor in results.values + writers.value { close(descriptor) }
            }
        }
    }

    @Test("more requests than the queues hold all end")
    func overflow() throws {
        let small = try Ring(entries: (submission: 4, completion: 8))
        let file = OwnedDescriptor(adopting: open("/proc/self/exe", O_RDONLY))
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { memory.deallocate() }
        for token in 1...100 {
            let byte = UnsafeMutableRawBufferPointer(rebasing: memory[token - 1..<token])
            small.start(
                FileRequest(.read(byte, offset: 0), descriptor: file.number),
                token: UInt64(token))
        }
        let results = results(of: small, count: 100)
        #expect(results.count == 100)
        #expect(results.values.allSatisfy { $0 == 1 })
    }

    @Test("requests end once although the kernel refuses calls, with full queues, too")
    func refusedCalls() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let ring = try Ring(entries: (submission: 4, completion: 8))
            let file = OwnedDescriptor(adopting: open("/proc/self/exe", O_RDONLY))
            let enters = try #require(RefusedEnters([]))
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 20, alignment: 1)
            let start = MonotonicClock.nanoseconds()
            for round in 0..<5 {
                for token in 1...20 {
                    // The fifth entry finds the submission queue full.
                    if token % 3 == 0 { enters.add(RefusedEnters.all) }
                    let byte = UnsafeMutableRawBufferPointer(rebasing: memory[token - 1..<token])
                    ring.start(
                        FileRequest(.read(byte, offset: 0), descriptor: file.number),
                        token: UInt64(token))
                }
                let results = RingTests.results(of: ring, count: 20)
                #expect(results.count == 20 && results.values.allSatisfy { $0 == 1 }, "\(round)")
            }
            #expect(enters.left == 0 && enters.passed > 0)
            // Each of 30 rounds of refusals pauses three times.
            #expect(MonotonicClock.nanoseconds() - start >= 90_000_000)
            RefusedEnters.endProcess()
        }
    }

    @Test("a wake-up by another thread ends a wait, each time")
    func wake() throws {
        nonisolated(unsafe) let shared = ring
        for _ in 1...3 {
            try Threads.start { shared.wake() }
            ring.wait()
            ring.reap { _, _ in Issue.record("a wake-up has no completion") }
        }
    }

    @Test("a kernel without a needed operation is refused, with the release that is needed")
    func oldKernel() {
        let refusal = #expect(throws: SystemError.self) { try UringProbe.check(newest: 255) }
        #expect(refusal?.description.contains("Linux 6.1 or later is needed") == true)
    }
}
