import Glibc
import LinuxPlatform
import TestSupport
import Testing

@Suite("Readiness sets")
final class ReadinessSetTests {
    private let epoll: ReadinessSet

    init() throws { epoll = try ReadinessSet() }

    private func add(_ descriptor: Int32, _ events: UInt32, token: UInt64) -> Int32 {
        epoll.add(descriptor, for: events, token: token)
    }

    private func modify(_ descriptor: Int32, _ events: UInt32, token: UInt64) -> Int32 {
        epoll.modify(descriptor, for: events, token: token)
    }

    private func remove(_ descriptor: Int32) -> Int32 { epoll.remove(descriptor) }

    /// The tokens of the events that hold now.
    private func tokens() -> [UInt64] {
        let count = epoll.wait(timeoutNanoseconds: 0)
        return (0..<count).map { epoll[$0].token }
    }

    @Test("an event has the token and the events of its descriptor")
    func event() {
        let pair = SocketPair()
        #expect(add(pair.near.number, PollEvents.readable, token: 7) == 0)
        #expect(tokens() == [])
        let isReadyBefore = epoll.isReady
        #expect(!isReadyBefore)
        pair.send()
        let isReady = epoll.isReady
        #expect(isReady)
        let count = epoll.wait(timeoutNanoseconds: nil)
        #expect(count == 1)
        let event = epoll[0]
        #expect(event.token == 7)
        #expect(event.events == PollEvents.readable)
    }

    @Test("bytes that were left unread are reported again, unless the entry is edge-triggered")
    func triggers() {
        let level = SocketPair()
        let edge = SocketPair()
        let edgeEvents = PollEvents.readable | PollEvents.edgeTriggered
        #expect(add(level.near.number, PollEvents.readable, token: 1) == 0)
        #expect(add(edge.near.number, edgeEvents, token: 2) == 0)
        level.send()
        edge.send()
        #expect(tokens().sorted() == [1, 2])
        #expect(tokens() == [1])
        edge.send()
        #expect(tokens().sorted() == [1, 2])
        // A change reports it again, too.
        #expect(modify(edge.near.number, edgeEvents, token: 3) == 0)
        #expect(tokens().sorted() == [1, 3])
    }

    @Test("the kernel's errors are returned")
    func errors() {
        let pair = SocketPair()
        let number = pair.near.number
        #expect(modify(number, PollEvents.readable, token: 1) == ENOENT)
        #expect(remove(number) == ENOENT)
        #expect(add(number, PollEvents.readable, token: 1) == 0)
        #expect(add(number, PollEvents.readable, token: 1) == EEXIST)
        #expect(remove(number) == 0)
        #expect(add(1_000_000, PollEvents.readable, token: 1) == EBADF)
        let file = OwnedDescriptor(adopting: open("/proc/self/exe", O_RDONLY))
        #expect(add(file.number, PollEvents.readable, token: 1) == EPERM)
    }

    @Test("an entry outlives its number while a duplicate is open; emptying the set ends it")
    func duplicate() throws {
        let pair = SocketPair()
        let number = dup(pair.near.number)
        #expect(add(number, PollEvents.readable, token: 5) == 0)
        close(number)
        pair.send()
        #expect(tokens() == [5])
        #expect(remove(number) != 0)
        #expect(tokens() == [5])
        try epoll.empty()
        #expect(tokens() == [])
        #expect(add(pair.near.number, PollEvents.readable, token: 6) == 0)
        #expect(tokens() == [6])
    }

    @Test("the bell ends a wait of another thread, also after the set was emptied")
    func bellRings() throws {
        try epoll.empty()
        for _ in 0..<2 {
            epoll.ring()
            let count = epoll.wait(timeoutNanoseconds: nil)
            #expect(count == 1)
            let event = epoll[0]
            #expect(event.token == ReadinessSet.bellToken)
            #expect(tokens() == [])
        }
    }

    @Test("a set works where a sandbox refuses epoll_pwait2(2)", arguments: [ENOSYS, EPERM])
    func refusedCall(code: Int32) async {
        await #expect(processExitsWith: .success) { [code = code as Int32] in
            let result = CallFilter.install([
                .load(0), .skip(1, unless: 441), .end(CallFilter.fail(code)),
                .end(CallFilter.allow),
            ])
            guard result == 0 else { return }
            let epoll = try ReadinessSet()
            for _ in 0..<2 {
                let none = epoll.wait(timeoutNanoseconds: 1000)
                #expect(none == 0)
            }
            epoll.ring()
            let count = epoll.wait(timeoutNanoseconds: nil)
            #expect(count == 1)
        }
    }

    @Test("a wait that nothing interrupts lasts until its timeout")
    func timeout() {
        // A signal to the process may end one of them early.
        let longest = (0..<10).map { _ in
            let start = MonotonicClock.nanoseconds()
            _ = epoll.wait(timeoutNanoseconds: 5_000_000)
            return MonotonicClock.nanoseconds() - start
        }.max()
        #expect((longest ?? 0) >= 5_000_000)
    }
}
