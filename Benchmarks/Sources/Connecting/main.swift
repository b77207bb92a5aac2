// A client with short connections, like Peers/echo-churn.c: connect, one message, its echo, close,
// on a fixed number of connections at a time. Verifies every byte.
//
//   connecting-ring --port P [--connections 64] [--warmup 0.5] [--seconds 2]
// Prints key=value lines; client_cpu_us is this process's CPU time for each exchange.
import Glibc
import RingDispatch
import RingNetwork
import Synchronization

guard let port = UInt16(text("--port") ?? ""), let connections = Int(text("--connections") ?? "64"),
    let warmup = Double(text("--warmup") ?? "0.5"), let seconds = Double(text("--seconds") ?? "2"),
    connections > 0, seconds > 0
else {
    print("usage: connecting-ring --port P [--connections 64] [--warmup 0.5] [--seconds 2]")
    exit(2)
}

let client = Client(of: .ipv4(.loopback, port: port))
for number in 0..<connections { client.begin(number) }
sleep(for: warmup)
let servedBefore = client.served.load(ordering: .relaxed)
let start = time(CLOCK_MONOTONIC)
let cpuStart = time(CLOCK_PROCESS_CPUTIME_ID)
sleep(for: seconds)
let served = client.served.load(ordering: .relaxed) - servedBefore
let cpu = time(CLOCK_PROCESS_CPUTIME_ID) - cpuStart
let elapsed = time(CLOCK_MONOTONIC) - start
print("messages=\(served)")
print("rate=\(Double(served) / elapsed)")
print("client_cpu_us=\(cpu * 1e6 / Double(max(served, 1)))")
fflush(nil)
// The exchanges under way end with the process.
_exit(0)

private func text(_ option: String) -> String? {
    let arguments = CommandLine.arguments
    let index = arguments.firstIndex(of: option).map { $0 + 1 }
    return index.flatMap { $0 < arguments.count ? arguments[$0] : nil }
}

private func time(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

private func sleep(for seconds: Double) {
    usleep(UInt32(seconds * 1e6))
}
