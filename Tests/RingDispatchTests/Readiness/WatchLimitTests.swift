import Glibc
import RingDispatch
import Testing

@Suite("The kernel's limit of watched descriptors", .watchdog, .serialized)
struct WatchLimitTests {
    @Test("A source beyond it reports that once, and earlier sources go on")
    func sources() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let (early, late) = (Channel(.socketPair), Channel(.socketPair))
            let received = Watched(0)
            let source = DispatchSource.makeReadSource(
                fileDescriptor: early.near, queue: DispatchQueue(label: "limit.early"))
            let cancelled = activate(source) {
                received.increment(by: readAll(from: early.near).count)
            }
            letTasksHaveTheirDescriptors()
            #expect(WatchLimit.reach())
            let reported = Watched<[UInt]>([])
            let refused = DispatchSource.makeReadSource(
                fileDescriptor: late.near, queue: DispatchQueue(label: "limit.late"))
            refused.setEventHandler { reported.append(refused.data) }
            let refusedCancelled = activate(refused)
            write(1, to: late.far)
            expectEventually(reported) { $0 == [0] }
            expectStays(reported, at: [0])
            write(1, to: early.far)
            expectEventually(received) { $0 == 1 }
            finish(refused, refusedCancelled)
            finish(source, cancelled)
        }
    }
}
