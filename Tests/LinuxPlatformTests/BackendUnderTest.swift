import Glibc
import LinuxPlatform
import Testing

/// The back ends that a loop may have.
enum BackendUnderTest: CaseIterable {
    case ring
    case epoll

    /// Those that work here.
    static let allCases: [BackendUnderTest] =
        (try? UringProbe.doorbell()) == nil ? [.epoll] : [.ring, .epoll]

    func makeBackend() throws -> IOBackend {
        try BackendFactory(preference: self == .epoll ? .epoll : .ioUring).makeBackend()
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests of io_uring. Where it is refused, the list of skipped tests says so.
    static var needsRing: Self {
        .enabled(
            if: BackendUnderTest.allCases.contains(.ring),
            "io_uring is refused here, so all tests ran on epoll")
    }
}

extension IOBackend {
    /// The waiting completions, without wake-ups.
    func completions(atMost capacity: Int = 16) -> [Completion] {
        withUnsafeTemporaryAllocation(of: Completion.self, capacity: capacity) { buffer in
            Array(buffer[..<reap(into: buffer)]).filter { $0.token != 0 }
        }
    }

    func waitForCompletions(atMost capacity: Int = 16) -> [Completion] {
        for _ in 0..<100 {
            wait(timeoutNanoseconds: 100_000_000)
            let found = completions(atMost: capacity)
            if !found.isEmpty { return found }
        }
        return []
    }
}
