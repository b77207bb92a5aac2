import RingDispatch
import Synchronization
import Testing

@Suite("User-data sources", .watchdog)
struct UserDataSourceTests {
    private let queue = DispatchQueue(label: "userdata")

    /// One call of the handler receives all values merged while the handler could not run.
    private func expectCall(
        of source: any DispatchSourceProtocol, _ data: UInt, after merge: () -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let calls = Watched<[UInt]>([])
        source.setEventHandler { calls.append(source.data) }
        // First: the source's activation is work on its queue, too.
        queue.suspend()
        source.activate()
        merge()
        queue.resume()
        expectEventually(calls, sourceLocation: sourceLocation) { $0 == [data] }
        source.cancel()
    }

    @Test("47, 49. An add source sums up the values merged while its handler cannot run")
    func add() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        expectCall(of: source, 1000) { for _ in 0..<1000 { source.add(data: 1) } }
    }

    @Test("47. An or source collects bits")
    func or() {
        let source = DispatchSource.makeUserDataOrSource(queue: queue)
        expectCall(of: source, 69) {
            for bit in [1, 4, 1, 64] as [UInt] { source.or(data: bit) }
        }
    }

    @Test("47. A replace source keeps the last value")
    func replace() {
        let source = DispatchSource.makeUserDataReplaceSource(queue: queue)
        expectCall(of: source, 2) {
            for value in [5, 9, 2] as [UInt] { source.replace(data: value) }
        }
    }

    @Test("48, 67. Merging zero is no event")
    func zero() {
        let add = DispatchSource.makeUserDataAddSource(queue: queue)
        let or = DispatchSource.makeUserDataOrSource(queue: queue)
        let replace = DispatchSource.makeUserDataReplaceSource(queue: queue)
        let calls = Watched(0)
        for source in [add, or, replace] as [any DispatchSourceProtocol] {
            source.start { calls.increment() }
        }
        drain(queue)
        add.add(data: 0)
        or.or(data: 0)
        replace.replace(data: 0)
        expectStays(calls, at: 0)
        // The handlers are ready for what is an event.
        add.add(data: 1)
        or.or(data: 1)
        replace.replace(data: 1)
        expectEventually(calls) { $0 == 3 }
        for source in [add, or, replace] as [any DispatchSourceProtocol] { source.cancel() }
    }

    @Test("48. Replacing a value by zero before it was delivered takes it back")
    func replaceByZero() {
        let source = DispatchSource.makeUserDataReplaceSource(queue: queue)
        let calls = Watched<[UInt]>([])
        source.setEventHandler { calls.append(source.data) }
        // First: the source's activation is work on its queue, too.
        queue.suspend()
        source.activate()
        source.replace(data: 5)
        source.replace(data: 0)
        queue.resume()
        expectStays(calls, at: [])
        source.replace(data: 7)
        expectEventually(calls) { $0 == [7] }
        source.cancel()
    }

    @Test("67. They have no handle and no mask")
    func handle() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        #expect(source.handle == 0)
        #expect(source.mask == 0)
        source.activate()
        source.cancel()
    }

    @Test("46, 47. Nothing is lost between racing adds and handler calls")
    func race() {
        let source = DispatchSource.makeUserDataAddSource(queue: .global())
        let running = Atomic<Int>(0)
        let overlaps = Atomic<Int>(0)
        let sum = Watched(UInt(0))
        source.start {
            if running.add(1, ordering: .relaxed).oldValue != 0 {
                overlaps.add(1, ordering: .relaxed)
            }
            let data = source.data
            sum.update { $0 += data }
            running.subtract(1, ordering: .relaxed)
        }
        onThreads(4) { _ in
            for _ in 0..<5000 { source.add(data: 1) }
        }
        expectEventually(sum) { $0 == 20_000 }
        #expect(overlaps.load(ordering: .relaxed) == 0, "the handler ran beside itself")
        source.cancel()
    }

    @Test("50. A handler that triggers its own source lets others go first")
    func retrigger() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let seen = Watched<[String]>([])
        source.start {
            let isFirst = seen.value.isEmpty
            seen.append("event")
            if isFirst {
                queue.async { seen.append("item") }
                source.add(data: 1)
            }
        }
        source.add(data: 1)
        expectEventually(seen) { $0.count == 3 }
        #expect(seen.value == ["event", "item", "event"])
        source.cancel()
    }

    @Test("50. A source that never stops does not starve its queue")
    func endless() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let calls = Watched(0)
        let cancelled = activate(source) {
            calls.increment()
            source.add(data: 1)
        }
        source.add(data: 1)
        for _ in 0..<100 {
            let before = calls.value
            drain(queue)
            guard expectEventually(calls, "the source has stopped", { $0 > before }) else { break }
        }
        finish(source, cancelled)
    }

    @Test("28, 46. The handler runs on top of the queue's target")
    func target() {
        let child = DispatchQueue(label: "userdata.child", target: queue)
        let source = DispatchSource.makeUserDataAddSource(queue: child)
        let checked = Gate()
        source.start {
            dispatchPrecondition(condition: .onQueue(child))
            dispatchPrecondition(condition: .onQueue(queue))
            checked.open()
        }
        source.add(data: 1)
        expectOpens(checked)
        source.cancel()
    }
}
