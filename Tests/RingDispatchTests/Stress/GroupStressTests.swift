import RingDispatch
import Testing

@Suite("Stress: groups", .watchdog)
struct GroupStressTests {
    /// AddressSanitizer finds a leave that touches the group after another thread has dropped it.
    @Test("30, 33. A group that is empty may be used again, and dropped, at once")
    func reuse() {
        let queue = DispatchQueue(label: "group.stress", attributes: .concurrent)
        let ran = Watched(0)
        onThreads(3) { _ in
            for _ in 0..<2000 {
                let group = DispatchGroup()
                for _ in 0..<2 {
                    queue.async(group: group) { ran.increment() }
                    while group.wait(timeout: .now()) != .success {}
                }
            }
        }
        #expect(ran.value == 12_000)
    }
}
