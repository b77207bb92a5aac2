import Glibc
import RingDispatch
import Testing

/// The trace of what threads do.
@Suite("DispatchRuntime.trace", .watchdog)
struct TraceTests {
    @Test("It shows when a queue ran, on which thread, and for how long")
    func queue() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            DispatchRuntime.startTrace()
            let thread = Watched<Int32>(0)
            let label = "a \"quoted\" \\ label\n"
            DispatchQueue(label: label).async {
                thread.update { $0 = currentThreadIdentifier() }
                letTimePass(milliseconds: 20)
            }
            expectEventually(thread) { $0 != 0 }
            // The event is recorded after the item.
            let isShown = poll {
                let events = (try? TraceEvent.all(DispatchRuntime.trace())) ?? []
                return events.contains {
                    $0.name == label && $0.cat == "queue" && $0.ph == "X"
                        && $0.tid == thread.value && $0.dur ?? 0 >= 20_000 && $0.ts >= 0
                }
            }
            #expect(isShown)
        }
    }

    @Test("It shows that another worker takes over the loop of a handler that stays")
    func takeOver() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            DispatchRuntime.startTrace()
            let hasRun = Gate()
            DispatchQueue(label: "stays").async {
                DispatchQueue(label: "other").async { hasRun.open() }
                while !hasRun.wasOpened {}
            }
            expectOpens(hasRun)
            let events = try? TraceEvent.all(DispatchRuntime.trace())
            #expect(events?.contains { $0.name == "take over loop 0" && $0.ph == "i" } == true)
        }
    }

    @Test("It keeps the newest events of a thread")
    func newest() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            DispatchRuntime.startTrace(eventsPerThread: 4)
            let group = DispatchGroup()
            DispatchQueue(label: "first").async(group: group) {}
            group.wait()
            let isShown = poll {
                DispatchQueue(label: "last").async(group: group) {}
                group.wait()
                let trace = DispatchRuntime.trace()
                return trace.contains("\"last\"") && !trace.contains("\"first\"")
            }
            #expect(isShown)
            let events = (try? TraceEvent.all(DispatchRuntime.trace())) ?? []
            let counts = Dictionary(grouping: events, by: \.tid).mapValues(\.count)
            #expect(counts.values.allSatisfy { $0 <= 4 })
        }
    }

    @Test("After its end there are no events")
    func end() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            DispatchRuntime.startTrace()
            let hasRun = Gate()
            DispatchQueue(label: "traced").async { hasRun.open() }
            expectOpens(hasRun)
            DispatchRuntime.stopTrace()
            // A worker may record one more event that began before.
            let isEmpty = poll {
                DispatchRuntime.stopTrace()
                return (try? TraceEvent.all(DispatchRuntime.trace()))?.isEmpty == true
            }
            #expect(isEmpty)
        }
    }

    @Test("RINGDISPATCH_TRACE writes a file at exit, wherever the program has gone")
    func file() async throws {
        let path = TraceEvent.file
        setenv("TRACE_TEST_FILE", path, 1)
        defer { unlink(path) }
        await #expect(processExitsWith: .exitCode(3)) {
            let path = String(cString: getenv("TRACE_TEST_FILE"))
            let name = path.split(separator: "/").last!
            chdir(String(path.dropLast(name.count)))
            setenv("RINGDISPATCH_TRACE", String(name), 1)
            DispatchQueue(label: "traced").async { letTimePass(milliseconds: 1) }
            chdir("/")
            while !DispatchRuntime.trace().contains("traced") {}
            exit(3)
        }
        #expect(try TraceEvent.all(inFile: path).contains { $0.name == "traced" })
    }

    @Test("A path that cannot be written ends the process with the reason")
    func badPath() async {
        let result = await #expect(
            processExitsWith: .exitCode(78), observing: [\.standardErrorContent]
        ) {
            setenv("RINGDISPATCH_TRACE", "/nonexistent/trace.json", 1)
            _ = DispatchRuntime.snapshot()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("RINGDISPATCH_TRACE is '/nonexistent/trace.json': open failed: "))
    }
}
