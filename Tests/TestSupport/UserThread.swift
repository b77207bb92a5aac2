import Glibc

/// A thread that the library did not create.
package final class UserThread: Sendable {
    /// The kernel's number for the thread; 0 until it runs.
    private let identifier = Watched<Int32>(0)
    private let finished = Gate()

    package init(_ body: @escaping @Sendable () -> Void) {
        final class Start {
            let run: () -> Void
            init(_ run: @escaping () -> Void) { self.run = run }
        }
        let start = Start { [identifier, finished] in
            identifier.update { $0 = currentThreadIdentifier() }
            body()
            finished.open()
        }
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                // Safety: balances the retain below; each thread consumes its own reference.
                Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(start).toOpaque())
        precondition(code == 0, "pthread_create: \(code)")
        pthread_detach(thread)
    }

    package var isFinished: Bool { finished.wasOpened }

    package func join(seconds: Int = Patience.seconds) -> Bool {
        finished.waitUntilOpen(seconds: seconds)
    }

    /// Waits until the thread sleeps in the kernel or has ended. Returns whether it sleeps.
    package func waitUntilAsleep() -> Bool {
        _ = identifier.wait(seconds: Patience.seconds) { $0 != 0 }
        var samples = 0
        for _ in 0..<(Patience.seconds * 1000) where !isFinished {
            samples = threadState(identifier.value) == "S" ? samples + 1 : 0
            // Two samples with a pause between them, so that a short wait for a page or for the
            // allocator's lock does not count.
            if samples == 3 { return true }
            letTimePass(milliseconds: 1)
        }
        return false
    }
}

/// The kernel's number for the calling thread.
package func currentThreadIdentifier() -> Int32 {
    linkTarget("/proc/thread-self").split(separator: "/").last.flatMap { Int32($0) } ?? -1
}

/// What a short symbolic link of proc(5) contains; empty where there is none.
package func linkTarget(_ path: String) -> String {
    var target = [CChar](repeating: 0, count: 64)
    let length = readlink(path, &target, target.count)
    return String(
        decoding: target.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Whether the calling thread is the one that started the process.
package var isOnMainThread: Bool { currentThreadIdentifier() == getpid() }

/// The scheduler's letter for one of this process's threads, as in proc(5); nil once it has ended.
private func threadState(_ identifier: Int32) -> Character? {
    guard let file = fopen("/proc/self/task/\(identifier)/stat", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    // The name, in parentheses, may hold anything; the state follows its last one.
    return text.split(separator: ")").last?.first { $0 != " " }
}
