// How long after a write to a file a file-system source's handler runs, beside a thread that does
// nothing but read inotify: one write after the other, and after a pause in which all sleep.
// Prints `name value` lines: nanoseconds, medians.
import Glibc
import RingDispatch
import Synchronization

func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// When the news came; 0: not yet.
let arrival = Atomic<UInt64>(0)

func openFile(_ path: String) -> Int32 { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }

/// A thread of its own for one inotify instance.
func watchBare(_ path: String) {
    let inotify = inotify_init1(Int32(IN_CLOEXEC))
    _ = inotify_add_watch(inotify, path, UInt32(IN_MODIFY))
    var thread = pthread_t()
    let argument = UnsafeMutableRawPointer(bitPattern: Int(inotify))
    pthread_create(&thread, nil, { argument in
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 8)
        while read(Int32(Int(bitPattern: argument)), buffer, 4096) > 0 {
            arrival.store(now(), ordering: .releasing)
        }
        return nil
    }, argument)
}

func latency(_ descriptor: Int32, pauseMicroseconds: UInt32) -> UInt64 {
    if pauseMicroseconds > 0 { usleep(pauseMicroseconds) }
    arrival.store(0, ordering: .relaxed)
    let start = now()
    var byte: UInt8 = 1
    pwrite(descriptor, &byte, 1, 0)
    while true {
        let time = arrival.load(ordering: .acquiring)
        if time != 0 { return time - start }
    }
}

let folder = "/dev/shm/file-latency-\(getpid())"
mkdir(folder, 0o700)
let (watched, bare) = (openFile(folder + "/watched"), openFile(folder + "/bare"))
let source = DispatchSource.makeFileSystemObjectSource(
    fileDescriptor: watched, eventMask: .write, queue: DispatchQueue(label: "file-latency"))
source.setEventHandler { arrival.store(now(), ordering: .releasing) }
source.activate()
watchBare(folder + "/bare")

func compare(_ name: String, pauseMicroseconds: UInt32) {
    var (ours, theirs): ([UInt64], [UInt64]) = ([], [])
    for _ in 0..<12 {
        for (file, isOurs) in [(watched, true), (bare, false)] {
            for _ in 0..<500 {
                let time = latency(file, pauseMicroseconds: pauseMicroseconds)
                if isOurs { ours.append(time) } else { theirs.append(time) }
            }
        }
    }
    print("source_\(name)_ns \(ours.sorted()[ours.count / 2])")
    print("inotify_\(name)_ns \(theirs.sorted()[theirs.count / 2])")
}

compare("busy", pauseMicroseconds: 0)
compare("idle", pauseMicroseconds: 50)
for name in ["/watched", "/bare"] { unlink(folder + name) }
rmdir(folder)
