import Glibc
import Ring
import Testing

/// What every back end promises the lanes.
@Suite("Kernel")
struct KernelTests {
    static func makeKernel(_ backend: Backend) throws -> Kernel {
        switch backend {
        case .ioUring: try UringKernel(doorbell: Doorbell())
        case .epoll: try EpollKernel()
        }
    }

    struct Pair: ~Copyable {
        let near: OwnedDescriptor
        let far: OwnedDescriptor

        init() {
            var ends: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            near = OwnedDescriptor(adopting: ends[0])
            far = OwnedDescriptor(adopting: ends[1])
        }

        func send() { _ = write(far.number, "x", 1) }
        func receive() {
            var byte: UInt8 = 0
            _ = read(near.number, &byte, 1)
        }
    }

    static func completions(_ kernel: Kernel) -> [Completion] {
        withUnsafeTemporaryAllocation(of: Completion.self, capacity: 16) { buffer in
            Array(buffer[..<kernel.reap(into: buffer)]).filter { $0.token != 0 }
        }
    }

    static func waitForCompletions(_ kernel: Kernel) -> [Completion] {
        for _ in 0..<100 {
            kernel.wait(timeoutNanoseconds: 100_000_000)
            let found = completions(kernel)
            if !found.isEmpty { return found }
        }
        return []
    }

    @Test("a watch completes once when its descriptor is readable", arguments: Backend.allCases)
    func watchCompletes(_ backend: Backend) throws {
        let kernel = try Self.makeKernel(backend)
        let pair = Pair()
        kernel.watch(descriptor: pair.near.number, events: PollEvents.readable, token: 7)
        kernel.submit()
        #expect(Self.completions(kernel).isEmpty)
        pair.send()
        let found = Self.waitForCompletions(kernel)
        #expect(found.map(\.token) == [7])
        #expect(UInt32(bitPattern: found[0].result) & PollEvents.readable != 0)
        kernel.wait(timeoutNanoseconds: 1_000_000)
        #expect(Self.completions(kernel).isEmpty)
    }

    @Test("a new watch tells of bytes that were left", arguments: Backend.allCases)
    func bytesLeftAreAnnouncedAgain(_ backend: Backend) throws {
        let kernel = try Self.makeKernel(backend)
        let pair = Pair()
        pair.send()
        for token: UInt64 in 1...3 {
            kernel.watch(descriptor: pair.near.number, events: PollEvents.readable, token: token)
            #expect(Self.waitForCompletions(kernel).map(\.token) == [token])
        }
    }

    @Test("a stream on a number that was closed unannounced, and opened again, gets its bytes",
        arguments: Backend.allCases)
    func numberUsedAgain(_ backend: Backend) throws {
        let kernel = try Self.makeKernel(backend)
        _ = kernel.receiveBuffers
        let before = Pair()
        let number = before.near.number
        kernel.receive(descriptor: number, isUnix: true, token: 5)
        kernel.submit()
        // Ends, and is not released.
        kernel.cancelStream(descriptor: number, token: 5)
        #expect(Self.waitForCompletions(kernel).map(\.token) == [5])
        let after = Pair()
        // The old socket is closed by it.
        #expect(dup2(after.near.number, number) == number)
        kernel.receive(descriptor: number, isUnix: true, token: 6)
        kernel.submit()
        after.send()
        #expect(Self.waitForCompletions(kernel).map(\.token) == [6])
    }

    @Test("a cancelled watch completes, too", arguments: Backend.allCases)
    func cancelCompletes(_ backend: Backend) throws {
        let kernel = try Self.makeKernel(backend)
        let pair = Pair()
        kernel.watch(descriptor: pair.near.number, events: PollEvents.readable, token: 9)
        kernel.submit()
        kernel.cancelWatch(descriptor: pair.near.number, token: 9)
        let found = Self.waitForCompletions(kernel)
        #expect(found.map(\.token) == [9])
        #expect(found.first?.result == -ECANCELED)
        kernel.release(descriptor: pair.near.number)
    }

    @Test("reading and writing are watched side by side", arguments: Backend.allCases)
    func twoDirections(_ backend: Backend) throws {
        let kernel = try Self.makeKernel(backend)
        let pair = Pair()
        kernel.watch(descriptor: pair.near.number, events: PollEvents.readable, token: 1)
        kernel.watch(descriptor: pair.near.number, events: PollEvents.writable, token: 2)
        #expect(Self.waitForCompletions(kernel).map(\.token) == [2])
        pair.send()
        #expect(Self.waitForCompletions(kernel).map(\.token) == [1])
    }

    @Test("a number that is no descriptor completes with EBADF", arguments: Backend.allCases)
    func badDescriptor(_ backend: Backend) throws {
        let kernel = try Self.makeKernel(backend)
        kernel.watch(descriptor: 1_000_000, events: PollEvents.readable, token: 3)
        let found = Self.waitForCompletions(kernel)
        #expect(found.map(\.token) == [3])
        #expect(found.first?.result == -EBADF)
    }

    @Test("a regular file is ready at once", arguments: Backend.allCases)
    func regularFile(_ backend: Backend) throws {
        let kernel = try Self.makeKernel(backend)
        let file = OwnedDescriptor(adopting: open("/proc/self/exe", O_RDONLY))
        kernel.watch(descriptor: file.number, events: PollEvents.readable, token: 4)
        let found = Self.waitForCompletions(kernel)
        #expect(found.map(\.token) == [4])
        #expect((found.first?.result ?? -1) > 0)
    }

    @Test("a number that is closed and opened again is watched anew", arguments: Backend.allCases)
    func reusedNumber(_ backend: Backend) throws {
        let kernel = try Self.makeKernel(backend)
        for token: UInt64 in 1...3 {
            let pair = Pair()
            kernel.watch(descriptor: pair.near.number, events: PollEvents.readable, token: token)
            pair.send()
            #expect(Self.waitForCompletions(kernel).map(\.token) == [token])
            kernel.release(descriptor: pair.near.number)
        }
    }

    @Test("wake ends a wait of another thread", arguments: Backend.allCases)
    func wakeEndsWait(_ backend: Backend) throws {
        let kernel = try Self.makeKernel(backend)
        nonisolated(unsafe) let shared = kernel
        try Threads.start { shared.wake() }
        kernel.wait(timeoutNanoseconds: nil)
        #expect(Self.completions(kernel).isEmpty)
    }

    @Test("a wait that nothing interrupts lasts until its timeout", arguments: Backend.allCases)
    func timeout(_ backend: Backend) throws {
        let kernel = try Self.makeKernel(backend)
        // A signal to the process may end one of them early.
        let longest = (0..<10).map { _ in
            let start = MonotonicClock.nanoseconds()
            kernel.wait(timeoutNanoseconds: 5_000_000)
            return MonotonicClock.nanoseconds() - start
        }.max()
        #expect((longest ?? 0) >= 5_000_000)
    }

    @Test("more watches than the submission queue holds are all kept")
    func submissionQueueOverflows() throws {
        var settings = KernelSettings()
        settings.submissionEntries = 4
        let kernel = try UringKernel(
            doorbell: Doorbell(), settings: settings, completionEntries: 8)
        let pair = Pair()
        pair.send()
        let tokens = Set<UInt64>(1...100)
        for token in tokens {
            kernel.watch(descriptor: pair.near.number, events: PollEvents.readable, token: token)
        }
        var seen: Set<UInt64> = []
        for _ in 0..<1000 where seen.count < tokens.count {
            kernel.submit()
            for completion in Self.completions(kernel) { seen.insert(completion.token) }
        }
        #expect(seen == tokens)
    }

    @Test("the doorbell rings without the newer system call, too")
    func olderDoorbell() throws {
        let kernel = try UringKernel(doorbell: Doorbell(withoutRegister: true))
        kernel.wake()
        kernel.wait(timeoutNanoseconds: nil)
        #expect(kernel.hasCompletions)
    }
}
