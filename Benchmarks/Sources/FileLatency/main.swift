// Measures the time from a write to a file-system source's handler, compared with a thread that
// only reads inotify. Both readers sleep before each write; the writing thread computes or sleeps.
// Prints `name value` lines: medians in nanoseconds.
//
// Both readers run on one CPU: the writer's (`same`) or another one (`other`).
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

/// Both watches are in place. Stored (releasing) by this thread, loaded (acquiring) by the writer.
let isWatched = Atomic<Bool>(false)

/// New threads inherit the CPU of their creator, so the writer starts before this thread is bound.
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
