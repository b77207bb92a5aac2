import RingDispatch
import Testing

@Suite("Suspending and activating queues", .watchdog)
struct SuspensionTests {
    @Test("5, 6. A suspended queue accepts items and runs them when it is resumed")
    func suspendResume() {
        let queue = DispatchQueue(label: "suspend.resume")
        let ran = Watched(0)
        queue.suspend()
        for _ in 0..<10 { queue.async { ran.increment() } }
        expectStays(ran, at: 0)
        queue.resume()
        expectEventually(ran) { $0 == 10 }
    }

    @Test("4. Suspensions nest, however many they are")
    func nesting() {
        let queue = DispatchQueue(label: "suspend.nesting")
        let ran = Watched(0)
        for _ in 0..<200 { queue.suspend() }
        queue.async { ran.increment() }
        for _ in 0..<199 { queue.resume() }
        expectStays(ran, at: 0)
        queue.resume()
        expectEventually(ran) { $0 == 1 }
    }

    @Test("5. Suspending inside an item lets that item finish and stops the next")
    func insideItem() {
        let queue = DispatchQueue(label: "suspend.inside")
        let seen = Watched<[String]>([])
        queue.async {
            queue.suspend()
            seen.append("first")
        }
        queue.async { seen.append("second") }
        expectEventually(seen) { $0 == ["first"] }
        expectStays(seen, at: ["first"])
        queue.resume()
        expectEventually(seen) { $0 == ["first", "second"] }
    }

    @Test("5. sync on a suspended queue waits for the resume")
    func syncWaits() {
        let queue = DispatchQueue(label: "suspend.sync")
        let ran = Watched(0)
        queue.suspend()
        let thread = UserThread { queue.sync { _ = ran.increment() } }
        #expect(thread.waitUntilAsleep())
        #expect(ran.value == 0)
        queue.resume()
        #expect(thread.join())
        #expect(ran.value == 1)
    }

    @Test("5. A suspended concurrent queue starts nothing")
    func concurrent() {
        let queue = DispatchQueue(label: "suspend.concurrent", attributes: .concurrent)
        let ran = Watched(0)
        queue.suspend()
        for _ in 0..<10 { queue.async { ran.increment() } }
        queue.async(flags: .barrier) { ran.increment() }
        expectStays(ran, at: 0)
        queue.resume()
        expectEventually(ran) { $0 == 11 }
    }

    @Test("7. A suspended target stalls the queues above it")
    func target() {
        let target = DispatchQueue(label: "suspend.target")
        let child = DispatchQueue(label: "suspend.child", target: target)
        let ran = Watched(0)
        target.suspend()
        child.async { ran.increment() }
        expectStays(ran, at: 0)
        // The child's own suspend count is unaffected: its suspend and resume cancel out, and the
        // target still decides.
        child.suspend()
        child.resume()
        expectStays(ran, at: 0)
        target.resume()
        expectEventually(ran) { $0 == 1 }
    }

    @Test("7. Suspending one queue leaves its siblings alone")
    func siblings() {
        let target = DispatchQueue(label: "suspend.parent")
        let suspended = DispatchQueue(label: "suspend.one", target: target)
        let running = DispatchQueue(label: "suspend.other", target: target)
        let seen = Watched<[String]>([])
        suspended.suspend()
        suspended.async { seen.append("suspended") }
        running.async { seen.append("running") }
        expectEventually(seen) { $0 == ["running"] }
        suspended.resume()
        expectEventually(seen) { $0 == ["running", "suspended"] }
    }

    @Test(
        "1. An inactive queue runs nothing until it is activated",
        arguments: [
            [.initiallyInactive], [.initiallyInactive, .concurrent],
        ] as [DispatchQueue.Attributes])
    func inactive(attributes: DispatchQueue.Attributes) {
        let queue = DispatchQueue(label: "inactive", attributes: attributes)
        let ran = Watched(0)
        queue.async { ran.increment() }
        expectStays(ran, at: 0)
        queue.activate()
        expectEventually(ran) { $0 == 1 }
    }

    @Test("2. Activating an active queue does nothing")
    func activateTwice() {
        let queue = DispatchQueue(label: "activate.twice", attributes: .initiallyInactive)
        queue.activate()
        queue.activate()
        #expect(queue.sync { true })
        let active = DispatchQueue(label: "activate.active")
        active.activate()
        #expect(active.sync { true })
    }

    @Test("2, 4. A queue that is suspended while inactive needs both calls")
    func suspendedWhileInactive() {
        let queue = DispatchQueue(label: "inactive.suspended", attributes: .initiallyInactive)
        let ran = Watched(0)
        queue.suspend()
        queue.async { ran.increment() }
        queue.activate()
        expectStays(ran, at: 0)
        queue.resume()
        expectEventually(ran) { $0 == 1 }
        // In the other order, too.
        let other = DispatchQueue(label: "inactive.resumed", attributes: .initiallyInactive)
        other.suspend()
        other.async { ran.increment() }
        other.resume()
        expectStays(ran, at: 1)
        other.activate()
        expectEventually(ran) { $0 == 2 }
    }

    @Test("9. An inactive queue takes a new target")
    func retarget() {
        let key = DispatchSpecificKey<String>()
        let target = DispatchQueue(label: "retarget.target")
        target.setSpecific(key: key, value: "found")
        let queue = DispatchQueue(label: "retarget.queue", attributes: .initiallyInactive)
        queue.setTarget(queue: target)
        queue.activate()
        #expect(queue.sync { DispatchQueue.getSpecific(key: key) } == "found")
        let found = Watched<String?>(nil)
        queue.async { found.update { $0 = DispatchQueue.getSpecific(key: key) } }
        expectEventually(found) { $0 == "found" }
    }
}
