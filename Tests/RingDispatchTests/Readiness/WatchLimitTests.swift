import Glibc
import LinuxPlatform
import RingDispatch
import Testing

@Suite("The kernel's limit of watched descriptors", .watchdog, .serialized)
struct WatchLimitTests {
    @Test("Sources beyond it wait until the kernel has room, and earlier sources go on")
    func sources() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let lines = Watched<[String]>([])
            Diagnostics.setReceiver { lines.append($1) }
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
            refused.setEventHandler {
                reported.append(refused.data)
                _ = readAll(from: late.near)
            }
            let refusedCancelled = activate(refused)
            write(2, to: late.far)
            expectStays(reported, at: [])
            write(1, to: early.far)
            expectEventually(received) { $0 == 1 }
            expectEventually(lines) { $0.contains { $0.contains("fs.epoll.max_user_watches") } }
            WatchLimit.lift()
            expectEventually(reported) { $0 == [2] }
            finish(refused, refusedCancelled)
            finish(source, cancelled)
            _exit(0)
        }
    }

    @Test("The end of a process is not reported before it")
    func processes() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let child = Child("read line; exit 11")
            drain(DispatchQueue(label: "limit"))
            letTasksHaveTheirDescriptors()
            #expect(WatchLimit.reach())
            let ended = Watched<[Int32]>([])
            let source = DispatchSource.makeProcessSource(
                identifier: child.identifier, eventMask: .exit,
                queue: DispatchQueue(label: "limit.child"))
            source.setEventHandler {
                if case .exited(let code) = source.exitStatus { ended.append(code) }
            }
            let cancelled = activate(source)
            expectStays(ended, at: [])
            WatchLimit.lift()
            expectStays(ended, at: [])
            child.closeInput()
            expectEventually(ended) { $0 == [11] }
            finish(source, cancelled)
            _exit(0)
        }
    }

    @Test("A source that is cancelled while it waits for room ends at once")
    func cancelled() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let channel = Channel(.socketPair)
            drain(DispatchQueue(label: "limit"))
            letTasksHaveTheirDescriptors()
            #expect(WatchLimit.reach())
            let reported = Watched(0)
            let source = DispatchSource.makeReadSource(
                fileDescriptor: channel.near, queue: DispatchQueue(label: "limit.source"))
            let cancelled = activate(source) { reported.increment() }
            write(1, to: channel.far)
            finish(source, cancelled)
            WatchLimit.lift()
            expectStays(reported, at: 0)
            _exit(0)
        }
    }
}
