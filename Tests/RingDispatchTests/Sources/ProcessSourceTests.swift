import Glibc
import RingDispatch
import Testing

@Suite("Process sources", .watchdog)
struct ProcessSourceTests {
    private typealias Status = DispatchSource.ProcessExitStatus
    private let queue = DispatchQueue(label: "process")

    /// The events that an active source's handler received, call by call.
    private final class Probe: Sendable {
        let source: any DispatchSourceProcess
        let events = Watched<[DispatchSource.ProcessEvent]>([])
        let statuses = Watched<[Status?]>([])
        private let cancelled: Gate

        init(_ identifier: pid_t, on queue: DispatchQueue, activates: Bool = true) {
            let source = DispatchSource.makeProcessSource(
                identifier: identifier, eventMask: .exit, queue: queue)
            self.source = source
            source.setEventHandler { [events, statuses] in
                dispatchPrecondition(condition: .onQueue(queue))
                statuses.append(source.exitStatus)
                events.append(source.data)
            }
            cancelled = watchCancel(of: source)
            if activates { source.activate() }
        }

        func expectExit(sourceLocation: SourceLocation = #_sourceLocation) {
            expectEventually(events, sourceLocation: sourceLocation) { $0 == [.exit] }
        }

        func end(sourceLocation: SourceLocation = #_sourceLocation) {
            finish(source, cancelled, sourceLocation: sourceLocation)
        }
    }

    /// Whether Linux reports the exit status of processes that were reaped or are no children.
    private var tellsOfAll: Bool { kernelVersion() >= (6, 15) }

    /// The number of open process descriptors.
    private func descriptors(of identifier: pid_t) -> Int {
        (0..<4096).filter {
            contents(ofFile: "/proc/self/fdinfo/\($0)")?.contains("\nPid:\t\(identifier)\n") == true
        }.count
    }

    @Test("65. The end of a child is reported once, with its exit status")
    func exit() {
        let child = Child("read line; exit 3")
        let probe = Probe(child.identifier, on: queue)
        #expect(probe.source.handle == child.identifier)
        #expect(probe.source.mask == .exit)
        expectStays(probe.statuses, at: [])
        #expect(probe.source.exitStatus == nil)
        child.closeInput()
        probe.expectExit()
        #expect(probe.statuses.value == [.exited(code: 3)])
        // Nothing was reaped, and reaping causes no further event.
        #expect(child.reap() == 3 << 8)
        letTimePass(milliseconds: Patience.glanceMilliseconds)
        probe.end()
        #expect(probe.events.value == [.exit])
        #expect(probe.source.exitStatus == .exited(code: 3))
    }

    @Test("65. A child that a signal ends has that signal as its status")
    func signaled() {
        let child = Child("read line")
        let probe = Probe(child.identifier, on: queue)
        child.end(by: SIGTERM)
        probe.expectExit()
        #expect(probe.statuses.value == [.signaled(signal: SIGTERM, coreDumped: false)])
        child.reap()
        probe.end()
    }

    @Test("65. A child that has ended already, but was not reaped, is reported")
    func zombie() {
        let child = Child("exit 4")
        child.waitUntilEnded()
        let probe = Probe(child.identifier, on: queue)
        probe.expectExit()
        #expect(probe.statuses.value == [.exited(code: 4)])
        probe.end()
        #expect(child.reap() == 4 << 8)
    }

    @Test("65. A child that was reaped before the activation is reported, as the process it was")
    func reapedBeforeActivation() {
        let child = Child("exit 5")
        let probe = Probe(child.identifier, on: queue, activates: false)
        child.reap()
        probe.source.activate()
        probe.expectExit()
        #expect(probe.statuses.value == [tellsOfAll ? .exited(code: 5) : nil])
        probe.end()
    }

    @Test("65. Dead, unknown and impossible processes have ended", arguments: [0, -1, pid_t.max])
    func unknown(number: pid_t) {
        var number = number
        if number == 0 {
            let child = Child("exit 0")
            child.reap()
            number = child.identifier
        }
        let probe = Probe(number, on: queue)
        probe.expectExit()
        #expect(probe.statuses.value == [nil])
        #expect(probe.source.handle == number)
        probe.end()
        #expect(probe.events.value == [.exit])
    }

    @Test("65. Five sources of one child get one event each")
    func five() {
        let child = Child("read line; exit 6")
        let probes = (0..<5).map { _ in Probe(child.identifier, on: queue) }
        child.closeInput()
        for probe in probes { probe.expectExit() }
        child.reap()
        for probe in probes {
            probe.end()
            #expect(probe.events.value == [.exit])
            #expect(probe.statuses.value == [.exited(code: 6)])
        }
    }

    @Test("The end of one source does not disturb the others, and closes its descriptor")
    func cancelOne() {
        let child = Child("read line; exit 7")
        let probes = (0..<3).map { _ in Probe(child.identifier, on: queue) }
        #expect(descriptors(of: child.identifier) == 3)
        probes[1].end()
        #expect(descriptors(of: child.identifier) == 2)
        child.closeInput()
        probes[0].expectExit()
        probes[2].expectExit()
        #expect(probes[1].events.value == [])
        #expect(descriptors(of: child.identifier) == 2)
        probes[0].end()
        probes[2].end()
        #expect(descriptors(of: child.identifier) == 0)
    }

    @Test("A source whose last reference goes closes its descriptor")
    func abandoned() {
        let child = Child("read line")
        do {
            let source = DispatchSource.makeProcessSource(
                identifier: child.identifier, eventMask: .exit, queue: queue)
            source.start { Issue.record("an event arrived") }
            #expect(descriptors(of: child.identifier) == 1)
        }
        expectSoon("the descriptor is closed") { descriptors(of: child.identifier) == 0 }
    }

    @Test("A source that is cancelled before it is activated closes its descriptor")
    func cancelledInactive() {
        let child = Child("read line")
        let probe = Probe(child.identifier, on: queue, activates: false)
        #expect(descriptors(of: child.identifier) == 1)
        probe.source.cancel()
        probe.source.activate()
        probe.end()
        #expect(descriptors(of: child.identifier) == 0)
        #expect(probe.events.value == [])
    }

    @Test("A suspended source tells of the end when it is resumed")
    func suspended() {
        let child = Child("read line; exit 8")
        let probe = Probe(child.identifier, on: queue)
        probe.source.suspend()
        child.closeInput()
        child.waitUntilEnded()
        expectStays(probe.events, at: [])
        probe.source.resume()
        probe.expectExit()
        #expect(probe.statuses.value == [.exited(code: 8)])
        probe.end()
    }

    @Test("A handler may reap the child, and cancel its source")
    func reapInHandler() {
        let child = Child("read line; exit 9")
        let source = DispatchSource.makeProcessSource(
            identifier: child.identifier, eventMask: .exit, queue: queue)
        let reaped = Watched<[Int32?]>([])
        let cancelled = activate(source) {
            reaped.append(child.reap())
            #expect(source.exitStatus == .exited(code: 9))
            source.cancel()
        }
        child.closeInput()
        expectOpens(cancelled)
        #expect(reaped.value == [9 << 8])
        #expect(source.exitStatus == .exited(code: 9))
    }

    @Test("The end of a process that is no child is reported, with its status on recent kernels")
    func noChild() {
        let parent = Child("sleep 1000 & echo $!; wait; echo reaped; read line; exit 0")
        guard let identifier = parent.readLine().flatMap({ pid_t($0) }) else {
            Issue.record("the shell printed no number")
            return
        }
        let probe = Probe(identifier, on: queue)
        expectStays(probe.events, at: [])
        kill(identifier, SIGKILL)
        probe.expectExit()
        #expect(parent.readLine() == "reaped")
        if tellsOfAll {
            #expect(probe.source.exitStatus == .signaled(signal: SIGKILL, coreDumped: false))
        } else {
            #expect(probe.source.exitStatus == nil)
        }
        probe.end()
        parent.closeInput()
        parent.reap()
    }

    @Test("The registration handler comes before the end")
    func registration() {
        let order = Watched<[String]>([])
        let source = DispatchSource.makeProcessSource(
            identifier: -1, eventMask: .exit, queue: queue)
        source.setRegistrationHandler { order.append("registration") }
        let cancelled = activate(source) { order.append("event") }
        expectEventually(order) { $0 == ["registration", "event"] }
        finish(source, cancelled)
    }
}
