import RingDispatch
import Testing

/// Many concurrent threads, with checks of order and count. Also meant for ThreadSanitizer.
@Suite("Queues under stress", .watchdog, .serialized)
struct QueueStressTests {
    private static let producers = 4
    private static let itemsEach = 3_000

    /// The last value of each producer on one serial queue, without a lock: the queue is the lock.
    private final class Ledger: @unchecked Sendable {
        // Safety: touched on one serial queue only; ThreadSanitizer checks just that.
        private var next: [Int]
        private(set) var disorders = 0
        private(set) var total = 0

        init(producers: Int) { next = Array(repeating: 0, count: producers) }

        func record(_ producer: Int, _ number: Int) {
            if next[producer] != number { disorders += 1 }
            next[producer] = number + 1
            total += 1
        }
    }

    private func produce(_ count: Int = producers, _ body: @escaping @Sendable (Int) -> Void) {
        let threads = (0..<count).map { producer in UserThread { body(producer) } }
        for thread in threads { #expect(thread.join(seconds: Patience.joinSeconds)) }
    }

    @Test("sync takes its place among a thread's async items")
    func syncAmongAsync() {
        let queue = DispatchQueue(label: "stress.sync")
        let ledger = Ledger(producers: Self.producers)
        produce { producer in
            for number in 0..<Self.itemsEach {
                if number % 7 == producer {
                    queue.sync { ledger.record(producer, number) }
                } else {
                    queue.async { ledger.record(producer, number) }
                }
            }
        }
        queue.sync {
            #expect(ledger.total == Self.producers * Self.itemsEach)
            #expect(ledger.disorders == 0)
        }
    }

    @Test("Nested syncs that all take queues in one order are never taken for a cycle")
    func orderedSyncs() {
        let producers = 6
        let queues = (0..<4).map { DispatchQueue(label: "stress.ordered.\($0)") }
        let ledgers = queues.map { _ in Ledger(producers: producers) }
        produce(producers) { producer in
            for number in 0..<Self.itemsEach {
                let later = queues.count - 1
                let first = (producer + number) % later
                queues[first].sync {
                    queues[later].sync { ledgers[later].record(producer, number) }
                }
                queues[later].sync {}
            }
        }
        queues[3].sync {
            #expect(ledgers[3].total == producers * Self.itemsEach)
            #expect(ledgers[3].disorders == 0)
        }
    }

    @Test("Queues that share a serial target never run beside one another")
    func sharedTarget() {
        let target = DispatchQueue(label: "stress.target")
        let ledger = Ledger(producers: Self.producers)
        let queues = (0..<Self.producers).map {
            DispatchQueue(label: "stress.child.\($0)", target: target)
        }
        produce { producer in
            for number in 0..<Self.itemsEach {
                if number % 11 == producer {
                    queues[producer].sync { ledger.record(producer, number) }
                } else {
                    queues[producer].async { ledger.record(producer, number) }
                }
            }
        }
        for queue in queues { queue.sync {} }
        target.sync {
            #expect(ledger.total == Self.producers * Self.itemsEach)
            #expect(ledger.disorders == 0)
        }
    }

    @Test("4, 6. Racing suspends and resumes lose no item")
    func suspension() {
        let queue = DispatchQueue(label: "stress.suspend")
        let ledger = Ledger(producers: Self.producers)
        produce(Self.producers + 1) { producer in
            for number in 0..<Self.itemsEach {
                if producer == Self.producers {
                    queue.suspend()
                    queue.resume()
                } else {
                    queue.async { ledger.record(producer, number) }
                }
            }
        }
        queue.sync {
            #expect(ledger.total == Self.producers * Self.itemsEach)
            #expect(ledger.disorders == 0)
        }
    }

    @Test("Barriers of a concurrent queue run alone, among readers of every kind")
    func barriers() {
        let queue = DispatchQueue(label: "stress.barrier", attributes: .concurrent)
        let value = Unguarded(0)
        let sum = Watched(0)
        let group = DispatchGroup()
        produce { producer in
            for number in 0..<(Self.itemsEach / 3) {
                switch (number + producer) % 5 {
                case 0: queue.async(group: group, flags: .barrier) { value.value += 1 }
                case 1: queue.sync(flags: .barrier) { value.value += 1 }
                case 2: queue.async(group: group) { sum.increment(by: value.value & 1) }
                default: _ = queue.sync { value.value }
                }
            }
        }
        group.wait()
        let changes = (0..<Self.producers).reduce(0) { total, producer in
            total + (0..<(Self.itemsEach / 3)).filter { ($0 + producer) % 5 < 2 }.count
        }
        #expect(queue.sync { value.value } == changes)
    }

    @Test("Semaphores and groups wake exactly as many as they should")
    func waits() {
        let semaphore = DispatchSemaphore(value: 0)
        let group = DispatchGroup()
        let taken = Watched(0)
        let rounds = Self.itemsEach / 3
        produce { producer in
            for number in 0..<rounds {
                if producer % 2 == 0 {
                    group.enter()
                    semaphore.signal()
                    group.leave()
                } else if number % 5 == 0 {
                    let timeout = DispatchTime.now() + .microseconds(20)
                    if semaphore.wait(timeout: timeout) == .success { taken.increment() }
                } else {
                    semaphore.wait()
                    taken.increment()
                }
                if number % 50 == 0 { group.wait() }
            }
        }
        group.wait()
        var left = 0
        while semaphore.wait(timeout: .now()) == .success { left += 1 }
        #expect(taken.value + left == rounds * Self.producers / 2)
    }

    @Test("Queues whose last reference goes while items wait run them all")
    func lastReference() {
        let ran = Watched(0)
        produce { _ in
            for number in 0..<Self.itemsEach / 3 {
                let queue = DispatchQueue(label: "stress.last.\(number)")
                for _ in 0..<3 { queue.async { ran.increment() } }
            }
        }
        expectEventually(ran) { $0 == Self.producers * (Self.itemsEach / 3) * 3 }
    }
}
