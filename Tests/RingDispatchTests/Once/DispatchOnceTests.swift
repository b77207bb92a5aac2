import RingDispatch
import Testing

@Suite("DispatchOnce", .watchdog)
struct DispatchOnceTests {
    @Test("45. The block runs once, however often it is asked for")
    func once() {
        let once = DispatchOnce()
        var count = 0
        for _ in 0..<10 { once { count += 1 } }
        once.perform { count += 1 }
        #expect(count == 1)
    }

    @Test("45. All callers return only after the block has run to its end")
    func waiters() {
        for _ in 0..<50 {
            let once = DispatchOnce()
            let finished = Gate()
            let ran = Watched(0)
            let returnedEarly = Watched(0)
            onThreads(8) { _ in
                once.perform {
                    ran.increment()
                    letTimePass(milliseconds: 2)
                    finished.open()
                }
                if !finished.wasOpened { returnedEarly.increment() }
            }
            #expect(ran.value == 1)
            #expect(returnedEarly.value == 0)
        }
    }

    @Test("45, 78. Workers can wait for it too")
    func workers() {
        let once = DispatchOnce()
        let mayFinish = Gate()
        let through = Watched(0)
        let asking = Watched(0)
        for _ in 0..<16 {
            DispatchQueue.global().async {
                asking.increment()
                once.perform { mayFinish.pass() }
                through.increment()
            }
        }
        expectEventually(asking) { $0 == 16 }
        expectStays(through, at: 0)
        mayFinish.open()
        expectEventually(through) { $0 == 16 }
    }

    @Test("45. Asking for it from inside its own block traps")
    func recursion() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let once = DispatchOnce()
            once.perform { once.perform {} }
        }
        expectMessage(result, naming: "deadlock", "once")
    }
}
