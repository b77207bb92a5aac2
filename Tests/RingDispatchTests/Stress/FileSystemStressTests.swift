import Glibc
import RingDispatch
import Testing

@Suite("File-system sources under stress", .watchdog, .serialized)
struct FileSystemStressTests {
    @Test("Files change and vanish while sources are created and cancelled; none misses the end")
    func churn() {
        let folder = Folder()
        let threads = 4
        let rounds = 100
        let shared = folder.makeFile("shared")
        let deaths = Watched(0)
        let writers = (0..<threads).map { thread in
            UserThread {
                for round in 0..<rounds {
                    let name = "\(thread).\(round)"
                    let file = folder.makeFile(name)
                    let observers = [
                        FileObserver(file, [.write, .delete, .rename]), FileObserver(shared),
                        FileObserver(folder.path, [.write, .delete]),
                    ]
                    append(1, to: shared)
                    append(1, to: file)
                    rename(file, folder(name + "x"))
                    unlink(folder(name + "x"))
                    if observers[0].calls.wait(
                        seconds: Patience.seconds,
                        until: { union(of: $0) == [.write, .delete, .rename] })
                    {
                        deaths.increment()
                    }
                    expectEventually(observers[1].calls) { $0.contains { $0.contains(.write) } }
                    expectEventually(observers[2].calls) { !$0.isEmpty }
                    for observer in observers { observer.end() }
                }
            }
        }
        for writer in writers { #expect(writer.join(seconds: Patience.joinSeconds)) }
        #expect(deaths.value == threads * rounds)
    }

    @Test("Directories are moved about and removed while they and their parents are watched")
    func directories() {
        let folder = Folder()
        let threads = 3
        let rounds = 60
        for name in 0..<threads { folder.makeDirectory("\(name)") }
        let movers = (0..<threads).map { thread in
            UserThread {
                for round in 0..<rounds {
                    let other = (thread + 1) % threads
                    let directory = folder.makeDirectory("\(thread)/\(thread).\(round)")
                    let observer = FileObserver(directory, [.delete, .rename])
                    let parent = FileObserver(folder("\(thread)"), .all)
                    rename(directory, folder("\(other)/\(thread).\(round)"))
                    rmdir(folder("\(other)/\(thread).\(round)"))
                    expectEventually(observer.calls) { union(of: $0) == [.delete, .rename] }
                    expectEventually(parent.calls) { $0.contains { $0.contains(.write) } }
                    observer.end()
                    parent.end()
                }
            }
        }
        for mover in movers { #expect(mover.join(seconds: Patience.joinSeconds)) }
    }
}
