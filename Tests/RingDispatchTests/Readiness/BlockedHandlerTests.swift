import Glibc
import RingDispatch
import Testing

/// A handler's thread is in a sleep that no signal ends. Nothing that the kernel does for others
/// may need this thread. In child processes, because a held spawn keeps copies of all descriptors.
@Suite("Handlers in a sleep that no signal ends", .watchdog, .serialized)
struct BlockedHandlerTests {
    @Test("The other sources of the loop get events that arrive while one spawns a process")
    func later() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            runBesideSpawn(isTogether: false)
        }
    }

    @Test("They get events that arrive together with the spawning source's")
    func together() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            runBesideSpawn(isTogether: true)
        }
    }

    @Test("Reads of files that a handler has started end although its thread does not return")
    func ownReads() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            let reads = ColdReads(files: 8, of: 1_000_000)
            let spawn = HeldSpawn()
            let returned = Gate()
            DispatchQueue(label: "blocked.starter").async {
                reads.start()
                spawn.spawn()
                returned.open()
            }
            #expect(spawn.waitUntilHeld(), "the thread is not held")
            reads.expectEnd()
            #expect(!spawn.isOver)
            spawn.letGo()
            expectOpens(returned)
            reads.finish()
        }
    }

    /// The thread may have passed the reads to the kernel before it runs the handler.
    @Test("Reads of files end although their loop's thread runs a handler that does not return")
    func earlierReads() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            let reads = ColdReads(files: 8, of: 1_000_000)
            let spawn = HeldSpawn()
            let trigger = Channel(.pipe)
            let source = DispatchSource.makeReadSource(
                fileDescriptor: trigger.near, queue: DispatchQueue(label: "blocked.next"))
            let cancelled = activate(source) {
                _ = readAll(from: trigger.near)
                spawn.spawn()
            }
            DispatchQueue(label: "blocked.starter").async {
                reads.start()
                write(1, to: trigger.far)
            }
            #expect(spawn.waitUntilHeld(), "the thread is not held")
            reads.expectEnd()
            #expect(!spawn.isOver)
            spawn.letGo()
            finish(source, cancelled)
            reads.finish()
        }
    }
}

private let sourceCount = 12

/// The first of twelve sources on one event loop spawns; the others must run meanwhile.
/// - Parameter isTogether: whether all descriptors become readable at once.
private func runBesideSpawn(isTogether: Bool) {
    setenv("RINGDISPATCH_LOOPS", "1", 1)
    let channels = (0..<sourceCount).map { _ in Channel(.socketPair) }
    let spawn = HeldSpawn()
    let hasSpawner = Watched(false)
    let registered = Watched(0)
    let ran = Watched(0)
    let sources = channels.enumerated().map { number, channel in
        let source = DispatchSource.makeReadSource(
            fileDescriptor: channel.near, queue: DispatchQueue(label: "blocked.\(number)"))
        source.setRegistrationHandler { registered.increment() }
        source.setEventHandler {
            _ = readAll(from: channel.near)
            let isSpawner = hasSpawner.update { hasSpawner in
                defer { hasSpawner = true }
                return !hasSpawner
            }
            if isSpawner { spawn.spawn() } else { ran.increment() }
        }
        return source
    }
    let cancelled = sources.map { activate($0) }
    expectEventually(registered) { $0 == sourceCount }
    write(1, to: channels[0].far)
    if !isTogether { #expect(spawn.waitUntilHeld(), "the thread is not held") }
    for channel in channels.dropFirst() { write(1, to: channel.far) }
    #expect(spawn.waitUntilHeld(), "the thread is not held")
    expectEventually(ran) { $0 == sourceCount - 1 }
    #expect(!spawn.isOver)
    spawn.letGo()
    #expect(spawn.hasSucceeded)
    for (source, cancelled) in zip(sources, cancelled) { finish(source, cancelled) }
}
