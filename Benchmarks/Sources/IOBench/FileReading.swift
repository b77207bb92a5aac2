#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif
import Glibc

/// Repeatedly reads a whole file with one read operation of a channel.
struct FileReading {
    let path: String

    /// Prints the medians over the rounds as key=value lines. The first round is not measured.
    func run(rounds: Int) {
        var nanoseconds: [UInt64] = []
        var processor: [UInt64] = []
        var bytes = 0
        for round in 0...rounds {
            let (start, startProcessor) = (now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID))
            bytes = readOnce()
            let (end, endProcessor) = (now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID))
            if round == 0 { continue }
            nanoseconds.append(end - start)
            processor.append(endProcessor - startProcessor)
        }
        nanoseconds.sort()
        processor.sort()
        print("bytes=\(bytes)")
        print("ns=\(nanoseconds[rounds / 2])")
        print("cpu_ns=\(processor[rounds / 2])")
    }

    private func readOnce() -> Int {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { fatalError("\(path): errno \(errno)") }
        let queue = DispatchQueue(label: "io-bench.read")
        let cleaned = DispatchSemaphore(value: 0)
        let count = Counter()
        let channel = DispatchIO(type: .stream, fileDescriptor: descriptor, queue: queue) { _ in
            close(descriptor)
            cleaned.signal()
        }
        channel.read(offset: 0, length: .max, queue: queue) { done, data, error in
            guard error == 0 else { fatalError("errno \(error)") }
            count.value += data?.count ?? 0
            if done { channel.close() }
        }
        cleaned.wait()
        return count.value
    }
}

/// Touched on one queue only, and read after the channel's cleanup.
private final class Counter: @unchecked Sendable {
    var value = 0
}
