import Glibc
import RingDispatch
@testable import RingNetwork
import Testing

/// Limits the descriptors that can still be opened.
private func leaveDescriptors(_ count: Int) {
    letTasksHaveTheirDescriptors()
    var kept: [Int32] = []
    for _ in 0..<count { kept.append(open("/dev/null", O_RDONLY | O_CLOEXEC)) }
    let end = (kept.max() ?? 0) + 1
    for descriptor in kept { close(descriptor) }
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(7), &limit)  // RLIMIT_NOFILE, which is not imported
    limit.rlim_cur = rlim_t(end)
    setrlimit(__rlimit_resource_t(7), &limit)
}

/// Makes the runtime open its own descriptors.
private func startRuntime() {
    let isRunning = Gate()
    DispatchQueue.global().async { isRunning.open() }
    demand(isRunning.waitUntilOpen(seconds: Patience.seconds), "the runtime starts")
}

/// CPU time of the process so far.
private func cpuMilliseconds() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(0), &usage)  // RUSAGE_SELF
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    return seconds * 1000 + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000
}

/// The children end by `_exit`: at exit, LeakSanitizer would need descriptors.
@Suite("Floods of connections with few descriptors", .serialized)
struct DescriptorFloodTests {
    @Test("Accepted connections are served, the others are closed, and the server recovers")
    func flood() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let listener = try Listener(.ipv4(.loopback, port: 0))
            startRuntime()
            let places = (0..<8).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
            var wires = (0..<200).map { _ in Wire.connect(to: listener.port) }
            for wire in wires { demand(wire.send([7]), "the kernel takes it") }
            for place in places { close(place) }
            leaveDescriptors(8)
            serveEcho(listener)
            var served = 0
            var refused = 0
            for wire in wires {
                // Clients with a descriptor close it in time.
                if wire.receive(1) == [7] { served += 1 } else { refused += 1 }
                wire.close()
            }
            let counters = listener.queue.sync { listener.counters }
            demand(served > 0 && refused > 0, "\(served) served, \(refused) refused")
            demand(counters.turnedAway == refused, "\(counters), \(refused) refused")
            demand(counters.accepted == served, "\(counters), \(served) served")
            demand(counters.pausesForShortage > 0, "\(counters)")
            wires = []
            demand("connections stay") { listener.queue.sync { listener.connections.isEmpty } }
            let last = Wire.connect(to: listener.port)
            demand(last.send([1]) && last.receive(1) == [1], "the last one is served")
            _exit(0)
        }
    }

    @Test("While no descriptor is released the server does not spin")
    func patience() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let listener = try Listener(.ipv4(.loopback, port: 0))
            startRuntime()
            let places = (0..<6).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
            let wires = (0..<150).map { _ in Wire.connect(to: listener.port) }
            for place in places { close(place) }
            leaveDescriptors(6)
            serveEcho(listener)
            demand("accepting pauses") {
                listener.queue.sync { listener.counters.pausesForShortage } >= 3
            }
            let (start, before) = (DispatchTime.now().uptimeNanoseconds, cpuMilliseconds())
            letTimePass(milliseconds: 1000)
            let used = cpuMilliseconds() - before
            let passed = Int((DispatchTime.now().uptimeNanoseconds - start) / 1_000_000)
            demand(used < passed * 3 / 10, "\(used) ms of CPU time in \(passed) idle ms")
            // Accepted connections are served meanwhile.
            let taken = listener.queue.sync { listener.connections.count }
            demand(taken > 0, "some were accepted")
            var served = 0
            for wire in wires where wire.send([5]) {
                if wire.receive(1) == [5] { served += 1 }
            }
            demand(served >= taken, "\(served) served, \(taken) were accepted")
            _exit(0)
        }
    }

    @Test("Connections that fail for lack of descriptors report it")
    func connecting() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let listener = try makeEchoListener()
            let first = Connector.shared.result(of: listener.endpoint)
            guard case .success = first else { return demand(false, "no connection") }
            leaveDescriptors(0)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(7), &limit)
            limit.rlim_cur = 3
            setrlimit(__rlimit_resource_t(7), &limit)
            let error = Connector.shared.error(of: listener.endpoint)
            demand(
                error?.attempts.first?.cause.code == .tooManyOpenFiles,
                "\(String(describing: error))")
            demand("\(error!)".contains("RLIMIT_NOFILE"), "\(error!)")
            _exit(0)
        }
    }
}
