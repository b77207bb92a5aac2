import Glibc
import Ring
import Testing

/// The kernels that a lane may have.
enum KernelKind: CaseIterable {
    case ring
    case ringWithMultishot
    case epoll

    func makeKernel(_ settings: KernelSettings = KernelSettings()) throws -> Kernel {
        var settings = settings
        settings.streams = self == .ringWithMultishot ? .multishot : .readiness
        return try KernelFactory(preference: self == .epoll ? .epoll : .ioUring)
            .makeKernel(settings)
    }
}

extension Kernel {
    /// What is there, without wake-ups.
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
