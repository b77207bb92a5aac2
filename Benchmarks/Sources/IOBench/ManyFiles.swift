#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif
import Glibc

/// Opens, reads and closes the files 0, 1, 2 ... of a folder by channels, some at a time.
final class ManyFiles: @unchecked Sendable {
    // Safety: the counters belong to the queue.
    private let folder: String
    private let count: Int
    private let together: Int
    private let queue = DispatchQueue(label: "io-bench.files")
    private let ended = DispatchSemaphore(value: 0)
    private var begun = 0
    private var closed = 0
    private var bytes = 0

    init(folder: String, count: Int, together: Int) {
        self.folder = folder
        self.count = count
        self.together = together
    }

    /// Prints the time of the second pass as key=value lines.
    func run() {
        _ = readAll()
        let start = (time: now(CLOCK_MONOTONIC), processor: now(CLOCK_PROCESS_CPUTIME_ID))
        let bytes = readAll()
        print("bytes=\(bytes)")
        print("ns=\(now(CLOCK_MONOTONIC) - start.time)")
        print("cpu_ns=\(now(CLOCK_PROCESS_CPUTIME_ID) - start.processor)")
    }

    private func readAll() -> Int {
        queue.async { [self] in
            (begun, closed, bytes) = (0, 0, 0)
            for _ in 0..<together { begin() }
        }
        ended.wait()
        return queue.sync { bytes }
    }

    private func begin() {
        guard begun < count else { return }
        let path = "\(folder)/\(begun)"
        begun += 1
        let channel = DispatchIO(
            type: .stream, path: path, oflag: O_RDONLY, mode: 0, queue: queue
        ) { [self] error in
            guard error == 0 else { fatalError("\(path): errno \(error)") }
            closed += 1
            if closed == count { ended.signal() } else { begin() }
        }
        guard let channel else { fatalError("no channel") }
        channel.read(offset: 0, length: .max, queue: queue) { [self] isDone, data, error in
            guard error == 0 else { fatalError("\(path): errno \(error)") }
            bytes += data?.count ?? 0
            if isDone { channel.close() }
        }
    }
}

func now(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
