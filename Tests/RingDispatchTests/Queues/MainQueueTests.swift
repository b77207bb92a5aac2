import Glibc
import RingDispatch
import Testing

// Each test runs in a process of its own: in the test's own process the main thread belongs to
// somebody else.
@Suite("dispatchMain and the main queue", .serialized)
struct MainQueueTests {
    @Test("79. dispatchMain runs the main queue's items on the main thread")
    func async() async {
        await #expect(processExitsWith: .success) {
            DispatchQueue.main.async {
                dispatchPrecondition(condition: .onQueue(.main))
                endProcess(succeedingIf: isOnMainThread)
            }
            serveMainQueue()
        }
    }

    @Test("13. The main queue is serial and keeps the order")
    func order() async {
        await #expect(processExitsWith: .success) {
            let seen = Watched<[Int]>([])
            for number in 0..<100 { DispatchQueue.main.async { seen.append(number) } }
            DispatchQueue.main.async { endProcess(succeedingIf: seen.value == Array(0..<100)) }
            serveMainQueue()
        }
    }

    @Test("14. sync to the main queue from a worker runs on the main thread")
    func sync() async {
        await #expect(processExitsWith: .success) {
            DispatchQueue.global().async {
                let onMain = DispatchQueue.main.sync { isOnMainThread }
                endProcess(succeedingIf: onMain && !isOnMainThread)
            }
            serveMainQueue()
        }
    }

    @Test("14. A queue on top of the main queue runs on the main thread")
    func target() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "main.child", target: .main)
            DispatchQueue.global().async {
                let inSync = queue.sync { isOnMainThread }
                queue.async { endProcess(succeedingIf: inSync && isOnMainThread) }
            }
            serveMainQueue()
        }
    }

    @Test("30, 42. after, timers and group notifications reach the main thread")
    func events() async {
        await #expect(processExitsWith: .success) {
            let group = DispatchGroup()
            let all = Watched<[Bool]>([])
            let timer = DispatchSource.makeTimerSource(queue: .main)
            group.enter()
            timer.setEventHandler {
                all.append(isOnMainThread)
                group.leave()
            }
            timer.schedule(deadline: .now() + .milliseconds(5))
            timer.activate()
            group.enter()
            DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(5)) {
                all.append(isOnMainThread)
                group.leave()
            }
            group.notify(queue: .main) {
                timer.cancel()
                all.append(isOnMainThread)
                endProcess(succeedingIf: all.value == [true, true, true])
            }
            serveMainQueue()
        }
    }

    @Test("16. Waiting for the main queue from an item of the main queue traps")
    func deadlock() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            DispatchQueue.main.async { DispatchQueue.main.sync {} }
            serveMainQueue()
        }
        expectMessage(result, naming: "com.apple.main-thread", "deadlock")
    }
}
