import Glibc
import LinuxPlatform
import Testing

/// The contract of all back ends with the loops.
@Suite("Kernel")
struct BackendTests {
    @Test(
        "a registration completes once when its descriptor is readable",
        arguments: BackendUnderTest.allCases)
    func watchCompletes(_ kind: BackendUnderTest) throws {
        let backend = try kind.makeBackend()
        let pair = SocketPair()
        backend.register(descriptor: pair.near.number, events: PollEvents.readable, token: 7)
        backend.submit()
        #expect(backend.completions().isEmpty)
        pair.send()
        let found = backend.waitForCompletions()
        #expect(found.map(\.token) == [7])
        #expect(UInt32(bitPattern: found[0].result) & PollEvents.readable != 0)
        backend.wait(timeoutNanoseconds: 1_000_000)
        #expect(backend.completions().isEmpty)
    }

    @Test(
        "a new registration reports bytes that were left unread",
        arguments: BackendUnderTest.allCases)
    func bytesLeftAreAnnouncedAgain(_ kind: BackendUnderTest) throws {
        let backend = try kind.makeBackend()
        let pair = SocketPair()
        pair.send()
        for token: UInt64 in 1...3 {
            backend.register(
                descriptor: pair.near.number, events: PollEvents.readable, token: token)
            #expect(backend.waitForCompletions().map(\.token) == [token])
        }
    }

    @Test(
        "a stream on a number that was closed unannounced, and opened again, gets its bytes",
        arguments: BackendUnderTest.allCases)
    func numberUsedAgain(_ kind: BackendUnderTest) throws {
        let backend = try kind.makeBackend()
        _ = backend.receiveBuffers
        let before = SocketPair()
        let number = before.near.number
        backend.receive(descriptor: number, isUnix: true, token: 5)
        backend.submit()
        // The registration ends, but is not released.
        backend.cancelStream(descriptor: number, token: 5)
        #expect(backend.waitForCompletions().map(\.token) == [5])
        let after = SocketPair()
        // The old socket is closed by it.
        #expect(dup2(after.near.number, number) == number)
        backend.receive(descriptor: number, isUnix: true, token: 6)
        backend.submit()
        after.send()
        #expect(backend.waitForCompletions().map(\.token) == [6])
    }

    @Test("a cancelled registration completes, too", arguments: BackendUnderTest.allCases)
    func cancelCompletes(_ kind: BackendUnderTest) throws {
        let backend = try kind.makeBackend()
        let pair = SocketPair()
        backend.register(descriptor: pair.near.number, events: PollEvents.readable, token: 9)
        backend.submit()
        backend.cancelRegistration(descriptor: pair.near.number, token: 9)
        let found = backend.waitForCompletions()
        #expect(found.map(\.token) == [9])
        #expect(found.first?.result == -ECANCELED)
        backend.release(descriptor: pair.near.number)
    }

    @Test("reading and writing are watched side by side", arguments: BackendUnderTest.allCases)
    func twoDirections(_ kind: BackendUnderTest) throws {
        let backend = try kind.makeBackend()
        let pair = SocketPair()
        backend.register(descriptor: pair.near.number, events: PollEvents.readable, token: 1)
        backend.register(descriptor: pair.near.number, events: PollEvents.writable, token: 2)
        #expect(backend.waitForCompletions().map(\.token) == [2])
        pair.send()
        #expect(backend.waitForCompletions().map(\.token) == [1])
    }

    @Test(
        "a number that is no descriptor completes with EBADF", arguments: BackendUnderTest.allCases)
    func badDescriptor(_ kind: BackendUnderTest) throws {
        let backend = try kind.makeBackend()
        backend.register(descriptor: 1_000_000, events: PollEvents.readable, token: 3)
        let found = backend.waitForCompletions()
        #expect(found.map(\.token) == [3])
        #expect(found.first?.result == -EBADF)
    }

    @Test("a regular file is ready at once", arguments: BackendUnderTest.allCases)
    func regularFile(_ kind: BackendUnderTest) throws {
        let backend = try kind.makeBackend()
        let file = OwnedDescriptor(adopting: open("/proc/self/exe", O_RDONLY))
        backend.register(descriptor: file.number, events: PollEvents.readable, token: 4)
        let found = backend.waitForCompletions()
        #expect(found.map(\.token) == [4])
        #expect((found.first?.result ?? -1) > 0)
    }

    @Test(
        "a number that is closed and opened again is watched again",
        arguments: BackendUnderTest.allCases)
    func reusedNumber(_ kind: BackendUnderTest) throws {
        let backend = try kind.makeBackend()
        for token: UInt64 in 1...3 {
            let pair = SocketPair()
            backend.register(
                descriptor: pair.near.number, events: PollEvents.readable, token: token)
            pair.send()
            #expect(backend.waitForCompletions().map(\.token) == [token])
            backend.release(descriptor: pair.near.number)
        }
    }

    @Test("wake ends a wait of another thread", arguments: BackendUnderTest.allCases)
    func wakeEndsWait(_ kind: BackendUnderTest) throws {
        let backend = try kind.makeBackend()
        nonisolated(unsafe) let shared = backend
        try Threads.start { shared.wake() }
        backend.wait(timeoutNanoseconds: nil)
        #expect(backend.completions().isEmpty)
    }

    @Test(
        "a wait that nothing interrupts lasts until its timeout",
        arguments: BackendUnderTest.allCases)
    func timeout(_ kind: BackendUnderTest) throws {
        let backend = try kind.makeBackend()
        // A signal to the process may end one of them early.
        let longest = (0..<10).map { _ in
            let start = MonotonicClock.nanoseconds()
            backend.wait(timeoutNanoseconds: 5_000_000)
            return MonotonicClock.nanoseconds() - start
        }.max()
        #expect((longest ?? 0) >= 5_000_000)
    }

    @Test("more registrations than the submission queue holds are all kept", .needsRing)
    func submissionQueueOverflows() throws {
        var settings = BackendSettings()
        settings.submissionEntries = 4
        let backend = try UringBackend(
            doorbell: Doorbell(), settings: settings, completionEntries: 8)
        let pair = SocketPair()
        pair.send()
        let tokens = Set<UInt64>(1...100)
        for token in tokens {
            backend.register(
                descriptor: pair.near.number, events: PollEvents.readable, token: token)
        }
        var seen: Set<UInt64> = []
        for _ in 0..<1000 where seen.count < tokens.count {
            backend.submit()
            for completion in backend.completions() { seen.insert(completion.token) }
        }
        #expect(seen == tokens)
    }

    @Test(
        "a kernel without a needed operation is refused, with the release that is needed",
        .needsRing)
    func oldKernel() {
        let refusal = #expect(throws: SystemError.self) { try UringProbe.doorbell(newest: 255) }
        #expect(refusal?.description.contains("Linux 6.1 or later is needed") == true)
    }

    @Test("the doorbell wakes the ring without the newer system call, too", .needsRing)
    func olderDoorbell() throws {
        let backend = try UringBackend(doorbell: Doorbell(withoutRegister: true))
        backend.wake()
        backend.wait(timeoutNanoseconds: nil)
        #expect(backend.hasCompletions)
    }
}
