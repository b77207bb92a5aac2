import RingDispatch
import Testing

@Suite("Queue-specific values", .watchdog)
struct SpecificTests {
    @Test("26. A value can be set, read, replaced and removed")
    func values() {
        let queue = DispatchQueue(label: "specific.values")
        let key = DispatchSpecificKey<Int>()
        #expect(queue.getSpecific(key: key) == nil)
        queue.setSpecific(key: key, value: 1)
        #expect(queue.getSpecific(key: key) == 1)
        queue.setSpecific(key: key, value: 2)
        #expect(queue.getSpecific(key: key) == 2)
        queue.setSpecific(key: key, value: nil)
        #expect(queue.getSpecific(key: key) == nil)
    }

    @Test("26. Keys are independent of each other, also when their types are the same")
    func keys() {
        let queue = DispatchQueue(label: "specific.keys")
        let one = DispatchSpecificKey<String>()
        let other = DispatchSpecificKey<String>()
        queue.setSpecific(key: one, value: "one")
        #expect(queue.getSpecific(key: other) == nil)
        queue.setSpecific(key: other, value: "other")
        #expect(queue.getSpecific(key: one) == "one")
    }

    @Test("26. The static lookup goes from the current queue to its targets, nearest first")
    func lookup() {
        let near = DispatchSpecificKey<String>()
        let far = DispatchSpecificKey<String>()
        let target = DispatchQueue(label: "specific.target")
        let queue = DispatchQueue(label: "specific.queue", target: target)
        target.setSpecific(key: near, value: "target")
        target.setSpecific(key: far, value: "target")
        queue.setSpecific(key: near, value: "queue")
        let found = Watched<[String?]>([])
        queue.async {
            found.append(DispatchQueue.getSpecific(key: near))
            found.append(DispatchQueue.getSpecific(key: far))
        }
        expectEventually(found) { $0.count == 2 }
        #expect(found.value == ["queue", "target"])
        #expect(queue.sync { DispatchQueue.getSpecific(key: far) } == "target")
        #expect(queue.getSpecific(key: far) == nil, "the instance's lookup must not walk")
    }

    @Test("26. Outside any queue there is no current value")
    func outside() {
        let key = DispatchSpecificKey<Int>()
        let queue = DispatchQueue(label: "specific.outside")
        queue.setSpecific(key: key, value: 1)
        let found = Watched<Int?>(-1)
        let thread = UserThread { found.update { $0 = DispatchQueue.getSpecific(key: key) } }
        #expect(thread.join())
        #expect(found.value == nil)
    }

    @Test("26. Each of several queues sees its own value")
    func isolation() {
        let key = DispatchSpecificKey<Int>()
        let queues = (0..<8).map { number in
            let queue = DispatchQueue(label: "specific.\(number)")
            queue.setSpecific(key: key, value: number)
            return queue
        }
        let found = Watched<[Int: Int]>([:])
        for number in 0..<8 {
            queues[number].async {
                let value = DispatchQueue.getSpecific(key: key)
                found.update { $0[number] = value }
            }
        }
        expectEventually(found) { $0.count == 8 }
        #expect(found.value.allSatisfy { $0.key == $0.value })
    }

    @Test("27. Values are released when replaced, removed and when the queue goes")
    func release() {
        let released = Watched(0)
        let key = DispatchSpecificKey<Canary>()
        do {
            let queue = DispatchQueue(label: "specific.release")
            for _ in 0..<4 {
                queue.setSpecific(key: key, value: Canary { released.increment() })
            }
            expectEventually(released) { $0 == 3 }
            queue.setSpecific(key: key, value: nil)
            expectEventually(released) { $0 == 4 }
            queue.setSpecific(key: key, value: Canary { released.increment() })
        }
        expectEventually(released) { $0 == 5 }
    }

    @Test("27. A value that is replaced is released on a global queue, not in setSpecific")
    func releasedElsewhere() {
        let queue = DispatchQueue(label: "specific.elsewhere")
        let key = DispatchSpecificKey<Canary>()
        let labels = Watched<[String]>([])
        let caller = currentThreadIdentifier()
        let onCaller = Watched(0)
        let count = 500
        for _ in 0...count {
            queue.setSpecific(
                key: key,
                value: Canary {
                    if currentThreadIdentifier() == caller { onCaller.increment() }
                    labels.append(DispatchQueue.currentLabel)
                })
        }
        expectEventually(labels) { $0.count == count }
        #expect(onCaller.value == 0)
        #expect(labels.value.allSatisfy { $0 == DispatchQueue.global().label })
    }
}
