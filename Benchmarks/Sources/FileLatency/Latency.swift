import Glibc
import Synchronization
import ThreadStarting

/// When the event arrived, in nanoseconds; 0 before. The reader's store (releasing) pairs with the
/// writer's load (acquiring).
let arrival = Atomic<UInt64>(0)

func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Starts a thread that only reads inotify.
func watchBare(_ path: String) {
    let inotify = inotify_init1(Int32(IN_CLOEXEC))
    _ = inotify_add_watch(inotify, path, UInt32(IN_MODIFY))
    _ = startThread {
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 8)
        while read(inotify, buffer, 4096) > 0 { arrival.store(now(), ordering: .releasing) }
    }
}

/// The writing thread's activity before each write, long enough for the reader to fall asleep.
enum Pause: CaseIterable {
    /// Computes for 10 µs.
    case busy
    /// Sleeps for 50 µs, like the readers.
    case idle

    func pass() {
        switch self {
        case .busy:
            let end = now() + 10_000
            while now() < end {}
        case .idle: usleep(50)
        }
    }
}

/// Writes to two files in turn and measures the time until the event arrives.
struct Writer {
    /// The file of the source, and the file of the bare inotify thread.
    let watched, bare: Int32

    /// Alternates quickly, so that both measurements see the same state of the machine.
    func compare(_ pause: Pause) {
        var (ours, theirs): ([UInt64], [UInt64]) = ([], [])
        for _ in 0..<300 {
            for _ in 0..<20 { ours.append(latency(watched, pause)) }
            for _ in 0..<20 { theirs.append(latency(bare, pause)) }
        }
        print("source_\(pause)_ns \(ours.sorted()[ours.count / 2])")
        print("inotify_\(pause)_ns \(theirs.sorted()[theirs.count / 2])")
    }

    private func latency(_ descriptor: Int32, _ pause: Pause) -> UInt64 {
        pause.pass()
        arrival.store(0, ordering: .relaxed)
        let start = now()
        var byte: UInt8 = 1
        pwrite(descriptor, &byte, 1, 0)
        while true {
            let time = arrival.load(ordering: .acquiring)
            if time != 0 { return time - start }
        }
    }
}
