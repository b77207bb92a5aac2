import Glibc
import RingDispatch
import Testing

@Suite("The life of a source", .watchdog)
struct SourceLifeTests {
    private let queue = DispatchQueue(label: "source.life")

    @Test(
        "1, 2. A source is inactive until activate or the first resume", arguments: [false, true])
    func startsInactive(byResume: Bool) {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let calls = Watched<[UInt]>([])
        source.setEventHandler { calls.append(source.data) }
        source.add(data: 1)
        source.add(data: 2)
        expectStays(calls, at: [])
        if byResume { source.resume() } else { source.activate() }
        expectEventually(calls) { $0 == [3] }
        source.cancel()
    }

    @Test("2. Activating twice is harmless")
    func activateTwice() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let called = Gate()
        source.start { called.open() }
        source.activate()
        source.add(data: 1)
        expectOpens(called)
        source.cancel()
    }

    @Test("8. A suspended source collects events and calls once when it is resumed")
    func suspension() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let calls = Watched<[UInt]>([])
        source.start { calls.append(source.data) }
        // A call takes the events so far once, at its start.
        drain(queue)
        source.suspend()
        source.suspend()
        for _ in 0..<100 { source.add(data: 1) }
        source.resume()
        expectStays(calls, at: [])
        source.resume()
        expectEventually(calls) { $0 == [100] }
        source.cancel()
    }

    @Test("51. The registration handler comes once, on the queue, before the first event")
    func registration() {
        let channel = Channel(.pipe)
        write(1, to: channel.far)
        let source = DispatchSource.makeReadSource(fileDescriptor: channel.near, queue: queue)
        let seen = Watched<[String]>([])
        source.setRegistrationHandler {
            dispatchPrecondition(condition: .onQueue(queue))
            seen.append("registration")
        }
        let cancelled = activate(source) {
            _ = readAll(from: channel.near)
            seen.append("event")
        }
        expectEventually(seen) { $0.count == 2 }
        write(1, to: channel.far)
        expectEventually(seen) { $0.count == 3 }
        #expect(seen.value == ["registration", "event", "event"])
        finish(source, cancelled)
    }

    @Test("51. An event that arrives during the registration handler is reported once")
    func eventDuringRegistration() {
        let sources = (0..<32).map { number in
            let channel = Channel(.pipe)
            write(1, to: channel.far)
            let source = DispatchSource.makeReadSource(
                fileDescriptor: channel.near,
                queue: DispatchQueue(label: "life.registration.\(number)"))
            let counts = Watched<[Int]>([])
            source.setRegistrationHandler { usleep(2_000) }
            let cancelled = activate(source) {
                counts.append(readAll(from: channel.near).count)
            }
            return (source, cancelled, channel, counts)
        }
        for (_, _, channel, counts) in sources {
            expectEventually(counts) { !$0.isEmpty }
            write(1, to: channel.far)
        }
        for (source, cancelled, _, counts) in sources {
            expectEventually(counts) { $0.reduce(0, +) == 2 }
            #expect(counts.value == [1, 1])
            finish(source, cancelled)
        }
    }

    @Test("51, 56. A cancel before activation skips all but the cancel handler")
    func cancelBeforeActivation() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let seen = Watched<[String]>([])
        source.setRegistrationHandler { seen.append("registration") }
        source.setEventHandler { seen.append("event") }
        source.setCancelHandler { seen.append("cancel") }
        source.add(data: 1)
        source.cancel()
        #expect(source.isCancelled)
        expectStays(seen, at: [])
        source.activate()
        expectEventually(seen) { $0 == ["cancel"] }
        expectStays(seen, at: ["cancel"])
    }

    @Test("Handlers can be work items")
    func workItems() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let seen = Watched<[String]>([])
        source.setRegistrationHandler(
            handler: DispatchWorkItem {
                seen.append("registration")
                source.add(data: 1)
            })
        source.setEventHandler(
            handler: DispatchWorkItem {
                seen.append("event")
                source.cancel()
            })
        source.setCancelHandler(handler: DispatchWorkItem { seen.append("cancel") })
        source.activate()
        expectEventually(seen) { $0.count == 3 }
        #expect(seen.value == ["registration", "event", "cancel"])
    }

    @Test("52. A handler can be replaced, and removed, before activation")
    func replaceHandler() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let seen = Watched<[String]>([])
        source.setEventHandler { seen.append("old") }
        source.setEventHandler { seen.append("new") }
        source.setCancelHandler { seen.append("cancel") }
        source.setCancelHandler(handler: nil)
        source.activate()
        source.add(data: 1)
        expectEventually(seen) { $0 == ["new"] }
        source.cancel()
        expectStays(seen, at: ["new"])
    }

    @Test("52. An event handler that is set later takes over")
    func laterHandler() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let seen = Watched<[String]>([])
        source.start { seen.append("old") }
        source.add(data: 1)
        expectEventually(seen) { $0 == ["old"] }
        source.setEventHandler { seen.append("new") }
        source.add(data: 1)
        expectEventually(seen) { $0.count == 2 }
        #expect(seen.value == ["old", "new"])
        source.cancel()
    }

    @Test("9. A source can get its queue while it is inactive")
    func setTarget() {
        let source = DispatchSource.makeUserDataAddSource()
        (source as? DispatchObject)?.setTarget(queue: queue)
        let checked = Gate()
        source.start {
            dispatchPrecondition(condition: .onQueue(queue))
            checked.open()
        }
        source.add(data: 1)
        expectOpens(checked)
        source.cancel()
    }
}
