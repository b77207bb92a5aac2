import RingDispatch
import Testing

@Suite("What a queue tells about itself", .watchdog)
struct QueueIdentityTests {
    @Test("label and quality of service are those given")
    func attributes() {
        #expect(DispatchQueue(label: "identity.label").label == "identity.label")
        #expect(DispatchQueue(label: "").label == "")
        #expect(DispatchQueue(label: "identity.ä😀").label == "identity.ä😀")
        #expect(DispatchQueue(label: "identity.plain").qos == .unspecified)
        let qos = DispatchQoS(qosClass: .utility, relativePriority: -3)
        #expect(DispatchQueue(label: "identity.qos", qos: qos).qos == qos)
        #expect(DispatchQueue.global(qos: .background).qos.qosClass == .background)
        #expect(DispatchQueue.global().qos.qosClass == .default)
    }

    @Test("Well-known queues have GCD's labels")
    func wellKnownLabels() {
        #expect(DispatchQueue.main.label == "com.apple.main-thread")
        #expect(DispatchQueue.global().label == "com.apple.root.default-qos")
        #expect(DispatchQueue.global(qos: .utility).label == "com.apple.root.utility-qos")
    }

    @Test("main and each global queue are one object at every access")
    func wellKnownIdentity() {
        #expect(DispatchQueue.main === DispatchQueue.main)
        #expect(DispatchQueue.global() === DispatchQueue.global(qos: .default))
        #expect(DispatchQueue.global(qos: .utility) == DispatchQueue.global(qos: .utility))
        #expect(DispatchQueue.global(qos: .utility) != DispatchQueue.global())
    }

    @Test("Queues with one label are different and can be keys")
    func hashable() {
        let one = DispatchQueue(label: "identity.same")
        let other = DispatchQueue(label: "identity.same")
        #expect(one != other)
        #expect(Set([one, other, one]).count == 2)
        #expect([one: 1, other: 2][other] == 2)
    }

    @Test("Queues, groups, semaphores and sources are dispatch objects")
    func hierarchy() {
        let source = DispatchSource.makeUserDataAddSource()
        source.activate()
        defer { source.cancel() }
        let objects: [DispatchObject?] = [
            DispatchQueue(label: "identity.object"), DispatchGroup(), DispatchSemaphore(value: 0),
            source as? DispatchObject,
        ]
        #expect(Set(objects.compactMap(\.self)).count == 4)
    }

    @Test("The debug description names the label")
    func description() {
        let queue = DispatchQueue(label: "identity.debug")
        #expect(String(reflecting: queue).contains("identity.debug"))
        #expect(queue.debugDescription.contains("identity.debug"))
    }

    @Test("currentLabel is the label of the queue that the caller runs on")
    func currentLabel() {
        let queue = DispatchQueue(label: "identity.current")
        let labels = Watched<[String]>([])
        queue.async { labels.append(DispatchQueue.currentLabel) }
        expectEventually(labels) { $0 == ["identity.current"] }
        #expect(queue.sync { DispatchQueue.currentLabel } == "identity.current")
        let outside = Watched<String?>(nil)
        let thread = UserThread { outside.update { $0 = DispatchQueue.currentLabel } }
        #expect(thread.join())
        #expect(outside.value == "")
    }

    @Test(
        "80. Every autorelease frequency is accepted",
        arguments: [
            DispatchQueue.AutoreleaseFrequency.inherit, .workItem, .never,
        ])
    func autoreleaseFrequency(frequency: DispatchQueue.AutoreleaseFrequency) {
        let queue = DispatchQueue(label: "identity.pool", autoreleaseFrequency: frequency)
        #expect(queue.sync { true })
    }

    @Test("The former priorities still name global queues")
    func priorities() {
        #expect(DispatchQueue.global(priority: .high).sync { true })
        #expect(DispatchQueue.global(priority: .default).sync { true })
        #expect(DispatchQueue.global(priority: .low).sync { true })
        #expect(DispatchQueue.global(priority: .background).sync { true })
    }

    @Test("13. A queue goes with its last reference once its items have run")
    func lifetime() {
        weak var reference: DispatchQueue?
        let ran = Watched(0)
        do {
            let queue = DispatchQueue(label: "identity.lifetime")
            reference = queue
            for _ in 0..<10 { queue.async { ran.increment() } }
        }
        expectEventually(ran) { $0 == 10 }
        for _ in 0..<(Patience.seconds * 100) where reference != nil {
            letTimePass(milliseconds: 10)
        }
        #expect(reference == nil)
    }
}
