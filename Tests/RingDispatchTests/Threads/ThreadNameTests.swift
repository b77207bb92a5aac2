import RingDispatch
import Testing

@Suite("Names of threads", .watchdog)
struct ThreadNameTests {
    @Test("Workers have the library's name, the program's threads keep theirs")
    func names() {
        let before = currentThreadName()
        let worker = Watched<String?>(nil)
        DispatchQueue.global().async { worker.update { $0 = currentThreadName() } }
        expectEventually(worker) { $0 != nil }
        #expect(worker.value?.hasPrefix("ring-") == true)
        let user = Watched<String?>(nil)
        let thread = UserThread {
            // On the queue, and still the program's own thread.
            DispatchQueue(label: "named").sync { user.update { $0 = currentThreadName() } }
        }
        #expect(thread.join())
        #expect(user.value?.hasPrefix("ring-") == false)
        #expect(currentThreadName() == before)
    }
}
