// How long after a write to a file a file-system source's handler runs, beside a thread that does
// nothing but read inotify, each of them asleep: the writing thread busy before, or asleep as well.
// Prints `name value` lines: nanoseconds, medians.
//
// The threads that wait, ours and the bare one, are on one CPU: `same`, that of the thread that
// writes, or `other`.
import CThreadPlacement
import Glibc
import RingDispatch
import Synchronization
import ThreadStarting

guard CommandLine.arguments.count == 2, ["same", "other"].contains(CommandLine.arguments[1]) else {
    print("usage: \(CommandLine.arguments[0]) same | other")
    exit(64)
}
let folder = "/dev/shm/file-latency-\(getpid())"
mkdir(folder, 0o700)
let (watchedPath, barePath) = (folder + "/watched", folder + "/bare")
let (watched, bare) = (openFile(watchedPath), openFile(barePath))

func openFile(_ path: String) -> Int32 { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }

/// Both files are watched: released by this thread, acquired by the writer.
let isWatched = Atomic<Bool>(false)

/// The threads that this one makes inherit its CPU: the writer is made before it has one.
func startWriter(_ writer: Writer) -> pthread_t {
    startThread {
        benchmark_bind_to_allowed_cpu(0)
        while !isWatched.load(ordering: .acquiring) { usleep(1000) }
        for pause in Pause.allCases { writer.compare(pause) }
    }
}

let writer = startWriter(Writer(watched: watched, bare: bare))
benchmark_bind_to_allowed_cpu(CommandLine.arguments[1] == "same" ? 0 : 1)
let source = DispatchSource.makeFileSystemObjectSource(
    fileDescriptor: watched, eventMask: .write, queue: DispatchQueue(label: "file-latency"))
source.setEventHandler { arrival.store(now(), ordering: .releasing) }
source.activate()
watchBare(barePath)
isWatched.store(true, ordering: .releasing)
pthread_join(writer, nil)
unlink(watchedPath)
unlink(barePath)
rmdir(folder)
