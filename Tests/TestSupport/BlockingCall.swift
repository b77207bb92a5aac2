import Glibc

/// A system call that blocks for a time, because nothing happens that it waits for.
package enum BlockingCall: CaseIterable, Sendable {
    case epollWait
    case receive
    case nanosleep
    case poll

    private static let milliseconds = 150

    /// Makes the call.
    /// - Returns: nil, or how it ended early or in another way than by its timeout.
    package func complaint() -> String? {
        let start = BlockingCall.now()
        let (result, code) = call()
        let elapsed = BlockingCall.now() - start
        let expected: (Int, Int32) = self == .receive ? (-1, EAGAIN) : (0, 0)
        let isComplete = elapsed >= BlockingCall.milliseconds * 1_000_000
        if (result, code) == expected && isComplete { return nil }
        return "\(self) returned \(result), errno \(code), after \(elapsed / 1000) µs"
    }

    /// All four in turn.
    package static func complaints() -> [String] { allCases.compactMap { $0.complaint() } }

    /// The result, and errno if it is negative.
    private func call() -> (Int, Int32) {
        let milliseconds = BlockingCall.milliseconds
        switch self {
        case .epollWait:
            let descriptor = BlockingCall.createEpoll(Int32(O_CLOEXEC))
            defer { close(descriptor) }
            var event = (UInt64(0), UInt64(0))
            let result = BlockingCall.waitForEpoll(descriptor, &event, 1, Int32(milliseconds))
            return (Int(result), result < 0 ? errno : 0)
        case .receive:
            return withIdleSocket { descriptor in
                // The kernel counts ticks of up to 10 ms, of which the first is short.
                var limit = timeval(tv_sec: 0, tv_usec: (milliseconds + 20) * 1000)
                setsockopt(
                    descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit,
                    socklen_t(MemoryLayout<timeval>.size))
                var byte: UInt8 = 0
                let result = recv(descriptor, &byte, 1, 0)
                return (result, result < 0 ? errno : 0)
            }
        case .nanosleep:
            var span = timespec(tv_sec: 0, tv_nsec: milliseconds * 1_000_000)
            let result = Glibc.nanosleep(&span, nil)
            return (Int(result), result < 0 ? errno : 0)
        case .poll:
            return withIdleSocket { descriptor in
                var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let result = Glibc.poll(&entry, 1, Int32(milliseconds))
                return (Int(result), result < 0 ? errno : 0)
            }
        }
    }

    // epoll_create1(2) and epoll_wait(2), which are not imported.
    private static var createEpoll: @convention(c) (Int32) -> Int32 {
        unsafeBitCast(dlsym(nil, "epoll_create1"), to: (@convention(c) (Int32) -> Int32).self)
    }
    private static var waitForEpoll: EpollWait {
        unsafeBitCast(dlsym(nil, "epoll_wait"), to: EpollWait.self)
    }
    private typealias EpollWait =
        @convention(c) (Int32, UnsafeMutableRawPointer, Int32, Int32) -> Int32

    /// A socket whose peer sends nothing.
    private func withIdleSocket<Result>(_ body: (Int32) -> Result) -> Result {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        precondition(socketpair(AF_UNIX, kind, 0, &pair) == 0, "errno \(errno)")
        defer { for descriptor in pair { close(descriptor) } }
        return body(pair[0])
    }

    /// In nanoseconds, on CLOCK_MONOTONIC.
    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
