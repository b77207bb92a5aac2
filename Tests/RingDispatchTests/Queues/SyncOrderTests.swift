import TestSupport
import Testing

@testable import RingDispatch

/// A thread pushes an item to a queue, and is held up before it wakes the queue. Others that push
/// meanwhile leave the wake-up to it.
@Suite("sync behind items whose queue was not woken yet", .watchdog)
struct SyncOrderTests {
    private let order = Watched<[String]>([])

    private func push(_ name: String, to queue: DispatchQueue) {
        let workItem = queue.makeWorkItem(.unspecified, [], Context.current) { order.append(name) }
        let isFirst = queue.incoming.push(workItem)
        #expect(isFirst)
    }

    private func wake(_ queue: DispatchQueue) {
        UserThread { queue.wakeUp(priority: queue.priority, Context.current) }.finish()
    }

    /// Holds a queue until the gate opens.
    private func hold(_ queue: DispatchQueue, until end: Gate) -> UserThread {
        let isHeld = Gate()
        let holder = UserThread {
            queue.sync {
                isHeld.open()
                expectOpens(end)
            }
        }
        expectOpens(isHeld)
        return holder
    }

    @Test("On a serial queue it runs after the caller's earlier items")
    func serial() {
        let queue = DispatchQueue(label: "sync.order")
        let end = Gate()
        let holder = hold(queue, until: end)
        push("first", to: queue)
        queue.async { order.append("async") }
        end.open()
        holder.finish()
        let caller = UserThread { queue.sync { order.append("sync") } }
        letTimePass(milliseconds: Patience.glanceMilliseconds)
        wake(queue)
        caller.finish()
        #expect(order.value == ["first", "async", "sync"])
    }

    @Test("On a concurrent queue a reader runs after the caller's earlier barrier")
    func reader() {
        let queue = DispatchQueue(label: "sync.order.concurrent", attributes: .concurrent)
        let end = Gate()
        let holder = hold(queue, until: end)
        push("first", to: queue)
        queue.async(flags: .barrier) { order.append("barrier") }
        let caller = UserThread { queue.sync { order.append("sync") } }
        letTimePass(milliseconds: Patience.glanceMilliseconds)
        wake(queue)
        end.open()
        for thread in [holder, caller] { thread.finish() }
        #expect(order.value == ["first", "barrier", "sync"])
    }
}

extension UserThread {
    fileprivate func finish() { #expect(join()) }
}
