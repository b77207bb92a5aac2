import Glibc
import LinuxPlatform
import Testing

/// The back ends that a loop may have.
enum BackendUnderTest: CaseIterable {
    case ring
    case ringWithMultishot
    case epoll

    func makeBackend(_ settings: BackendSettings = BackendSettings()) throws -> IOBackend {
        var settings = settings
        settings.streams = self == .ringWithMultishot ? .multishot : .readiness
        return try BackendFactory(preference: self == .epoll ? .epoll : .ioUring)
            .makeBackend(settings)
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
