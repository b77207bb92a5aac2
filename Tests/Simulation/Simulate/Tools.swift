internal import CSimulation
internal import Glibc
internal import RingDispatch

/// A number from the seed, in the range.
func random(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(simulation_random(UInt64(range.count)))
}

/// True in one of `count` cases.
func oneIn(_ count: Int) -> Bool { random(1...count) == 1 }

func fail(_ reason: String) -> Never { simulation_fail(reason) }

func require(_ condition: Bool, _ reason: @autoclosure () -> String) {
    if !condition { fail(reason()) }
}

func note(_ text: String, _ number: Int = 0) { simulation_note(text, Int64(number)) }

/// Uses the CPU for a number of steps.
func compute(_ steps: ClosedRange<Int>) { for _ in 0..<random(steps) { _ = simulation_ticks() } }

/// Runs code that uses a scenario's collections. Swift's runtime may take locks in generic code,
/// and another thread may run at each lock.
func exclusively<Result>(_ body: () -> Result) -> Result {
    simulation_lock()
    defer { simulation_unlock() }
    return body()
}

/// Sleeps for virtual microseconds.
func pause(_ microseconds: ClosedRange<Int>) { usleep(UInt32(random(microseconds))) }

/// Waits in virtual time until the condition holds.
func wait(seconds: UInt64 = 60, until condition: () -> Bool, _ what: @autoclosure () -> String) {
    let limit = simulation_now() + seconds * 1_000_000_000
    while !condition() {
        require(
            simulation_now() < limit,
            "waited in vain for \(what())\n\(DispatchRuntime.snapshot())")
        usleep(200)
    }
}

/// Starts a thread of the program, not of the runtime.
func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Entry {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let entry = Unmanaged.passRetained(Entry(body)).toOpaque()
    while true {
        let code = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<Entry>.fromOpaque(argument!).takeRetainedValue().body()
                return nil
            }, entry)
        if code == 0 { break }
        // Now and then there is none.
        require(code == EAGAIN, "no thread")
        usleep(100)
    }
    pthread_detach(thread)
}

/// Repeats a call that a signal may interrupt. Returns a negated errno if it fails.
func call(_ body: () -> Int) -> Int {
    while true {
        let result = body()
        if result >= 0 { return result }
        if errno != EINTR { return -Int(errno) }
    }
}

func readSome(_ descriptor: Int32, _ count: Int) -> (result: Int, bytes: [UInt8]) {
    var bytes = [UInt8](repeating: 0, count: count)
    let result = call { read(descriptor, &bytes, count) }
    return (result, Array(bytes.prefix(max(0, result))))
}

func setNonBlocking(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }

/// At the end nothing may be left.
func requireNothingLeft(descriptors: UInt32) {
    wait(seconds: 5, until: { DispatchRuntime.snapshot().registrations == 0 }, "no registrations")
    wait(
        seconds: 5, until: { simulation_open_descriptors() == descriptors },
        "\(descriptors) descriptors, not \(simulation_open_descriptors())")
    wait(seconds: 5, until: { DispatchRuntime.snapshot().sources == 0 }, "no sources")
}
