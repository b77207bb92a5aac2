// The cost of many sources: memory per source, time to arm and to cancel.
// usage: many-sources-... [timers COUNT | readers COUNT]
#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif
import Glibc

/// The resident memory of the process.
func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * Int(getpagesize())
}

func nanoseconds(_ body: () -> Void) -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    body()
    return Double(DispatchTime.now().uptimeNanoseconds - start)
}

/// Signals when all sources have ended. Only the sources' queue touches it.
final class Countdown: @unchecked Sendable {
    private var left: Int
    let done = DispatchSemaphore(value: 0)

    init(_ count: Int) { left = count }

    func one() {
        left -= 1
        if left == 0 { done.signal() }
    }
}

/// Measures `count` sources on one queue and prints `name value` lines.
func measure(_ count: Int, make: (Int, DispatchQueue) -> any DispatchSourceProtocol) {
    let queue = DispatchQueue(label: "many-sources")
    let ended = Countdown(count)
    // The first source sets up what all share.
    let first = make(0, queue)
    first.setEventHandler {}
    first.activate()
    queue.sync {}
    // Allocated and touched before the measurement.
    var sources = [any DispatchSourceProtocol](repeating: first, count: count)
    let before = residentBytes()
    let arming = nanoseconds {
        for index in 1...count {
            let source = make(index, queue)
            source.setEventHandler {}
            source.setCancelHandler { ended.one() }
            source.activate()
            sources[index - 1] = source
        }
        queue.sync {}
    }
    // The closure of the cancel handler and its captures account for 32 bytes.
    print("bytes \((residentBytes() - before) / count)")
    let cancelling = nanoseconds {
        for source in sources { source.cancel() }
        ended.done.wait()
    }
    print("arm_ns \(arming / Double(count))")
    print("cancel_ns \(cancelling / Double(count))")
    print("both_ns \((arming + cancelling) / Double(count))")
    first.cancel()
}

let arguments = CommandLine.arguments.dropFirst()
let kind = arguments.first ?? "timers"
let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000

switch kind {
case "timers":
    measure(count) { index, queue in
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .seconds(600) + .microseconds(index * 7 % 1000))
        return timer
    }
case "readers":
    var limit = rlimit(rlim_cur: rlim_t(count + 100), rlim_max: rlim_t(count + 100))
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
        print("cannot raise the limit of descriptors to \(count + 100)")
        exit(1)
    }
    // Sockets that never receive anything.
    let sockets = (0...count).map { _ in
        socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    }
    for descriptor in sockets {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
    measure(count) { index, queue in
        DispatchSource.makeReadSource(fileDescriptor: sockets[index], queue: queue)
    }
default:
    print("usage: many-sources [timers COUNT | readers COUNT]")
    exit(64)
}
