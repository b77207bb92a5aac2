import Glibc

/// Runs `body` on so many threads at once, and waits until all have returned.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void) {
    final class Start {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }
    var threads: [pthread_t] = []
    for number in 0..<count {
        let start = Unmanaged.passRetained(Start { body(number) })
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                // Safety: balances the retain above; each thread consumes its own reference.
                Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, start.toOpaque())
        precondition(code == 0, "pthread_create: \(code)")
        threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
}

/// Looks again and again until something holds of which nobody tells; false when it never did.
func poll(until condition: () -> Bool) -> Bool {
    for _ in 0..<30_000 {
        if condition() { return true }
        usleep(1000)
    }
    return false
}
