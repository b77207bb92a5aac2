import Glibc
import Ring
import Testing

/// What every back end promises the lanes.
@Suite("Kernel")
struct KernelTests {
    @Test("a watch completes once when its descriptor is readable", arguments: KernelKind.allCases)
    func watchCompletes(_ kind: KernelKind) throws {
        let kernel = try kind.makeKernel()
        let pair = SocketPair()
        kernel.watch(descriptor: pair.near.number, events: PollEvents.readable, token: 7)
        kernel.submit()
        #expect(kernel.completions().isEmpty)
        pair.send()
        let found = kernel.waitForCompletions()
        #expect(found.map(\.token) == [7])
        #expect(UInt32(bitPattern: found[0].result) & PollEvents.readable != 0)
        kernel.wait(timeoutNanoseconds: 1_000_000)
        #expect(kernel.completions().isEmpty)
    }

    @Test("a new watch tells of bytes that were left", arguments: KernelKind.allCases)
    func bytesLeftAreAnnouncedAgain(_ kind: KernelKind) throws {
        let kernel = try kind.makeKernel()
        let pair = SocketPair()
        pair.send()
        for token: UInt64 in 1...3 {
            kernel.watch(descriptor: pair.near.number, events: PollEvents.readable, token: token)
            #expect(kernel.waitForCompletions().map(\.token) == [token])
        }
    }

    @Test("a stream on a number that was closed unannounced, and opened again, gets its bytes",
        arguments: KernelKind.allCases)
    func numberUsedAgain(_ kind: KernelKind) throws {
        let kernel = try kind.makeKernel()
        _ = kernel.receiveBuffers
        let before = SocketPair()
        let number = before.near.number
        kernel.receive(descriptor: number, isUnix: true, token: 5)
        kernel.submit()
        // Ends, and is not released.
        kernel.cancelStream(descriptor: number, token: 5)
        #expect(kernel.waitForCompletions().map(\.token) == [5])
        let after = SocketPair()
        // The old socket is closed by it.
        #expect(dup2(after.near.number, number) == number)
        kernel.receive(descriptor: number, isUnix: true, token: 6)
        kernel.submit()
        after.send()
        #expect(kernel.waitForCompletions().map(\.token) == [6])
    }

    @Test("a cancelled watch completes, too", arguments: KernelKind.allCases)
    func cancelCompletes(_ kind: KernelKind) throws {
        let kernel = try kind.makeKernel()
        let pair = SocketPair()
        kernel.watch(descriptor: pair.near.number, events: PollEvents.readable, token: 9)
        kernel.submit()
        kernel.cancelWatch(descriptor: pair.near.number, token: 9)
        let found = kernel.waitForCompletions()
        #expect(found.map(\.token) == [9])
        #expect(found.first?.result == -ECANCELED)
        kernel.release(descriptor: pair.near.number)
    }

    @Test("reading and writing are watched side by side", arguments: KernelKind.allCases)
    func twoDirections(_ kind: KernelKind) throws {
        let kernel = try kind.makeKernel()
        let pair = SocketPair()
        kernel.watch(descriptor: pair.near.number, events: PollEvents.readable, token: 1)
        kernel.watch(descriptor: pair.near.number, events: PollEvents.writable, token: 2)
        #expect(kernel.waitForCompletions().map(\.token) == [2])
        pair.send()
        #expect(kernel.waitForCompletions().map(\.token) == [1])
    }

    @Test("a number that is no descriptor completes with EBADF", arguments: KernelKind.allCases)
    func badDescriptor(_ kind: KernelKind) throws {
        let kernel = try kind.makeKernel()
        kernel.watch(descriptor: 1_000_000, events: PollEvents.readable, token: 3)
        let found = kernel.waitForCompletions()
        #expect(found.map(\.token) == [3])
        #expect(found.first?.result == -EBADF)
    }

    @Test("a regular file is ready at once", arguments: KernelKind.allCases)
    func regularFile(_ kind: KernelKind) throws {
        let kernel = try kind.makeKernel()
        let file = OwnedDescriptor(adopting: open("/proc/self/exe", O_RDONLY))
        kernel.watch(descriptor: file.number, events: PollEvents.readable, token: 4)
        let found = kernel.waitForCompletions()
        #expect(found.map(\.token) == [4])
        #expect((found.first?.result ?? -1) > 0)
    }

    @Test("a number that is closed and opened again is watched anew",
        arguments: KernelKind.allCases)
    func reusedNumber(_ kind: KernelKind) throws {
        let kernel = try kind.makeKernel()
        for token: UInt64 in 1...3 {
            let pair = SocketPair()
            kernel.watch(descriptor: pair.near.number, events: PollEvents.readable, token: token)
            pair.send()
            #expect(kernel.waitForCompletions().map(\.token) == [token])
            kernel.release(descriptor: pair.near.number)
        }
    }

    @Test("wake ends a wait of another thread", arguments: KernelKind.allCases)
    func wakeEndsWait(_ kind: KernelKind) throws {
        let kernel = try kind.makeKernel()
        nonisolated(unsafe) let shared = kernel
        try Threads.start { shared.wake() }
        kernel.wait(timeoutNanoseconds: nil)
        #expect(kernel.completions().isEmpty)
    }

    @Test("a wait that nothing interrupts lasts until its timeout", arguments: KernelKind.allCases)
    func timeout(_ kind: KernelKind) throws {
        let kernel = try kind.makeKernel()
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
        let pair = SocketPair()
        pair.send()
        let tokens = Set<UInt64>(1...100)
        for token in tokens {
            kernel.watch(descriptor: pair.near.number, events: PollEvents.readable, token: token)
        }
        var seen: Set<UInt64> = []
        for _ in 0..<1000 where seen.count < tokens.count {
            kernel.submit()
            for completion in kernel.completions() { seen.insert(completion.token) }
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
