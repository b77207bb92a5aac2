import Glibc
import RingConcurrency
import RingDispatch
import TestSupport
import Testing

/// Each in a process of its own, because `install` is for the whole process. More tasks block than
/// Swift's own pool has threads.
@Suite("Tasks that block", .watchdog)
struct BlockingTaskTests {
    static let many = 100

    @Test("Many tasks wait in semaphores that a later task signals")
    func semaphores() async {
        await #expect(processExitsWith: .success) {
            begin()
            let semaphore = DispatchSemaphore(value: 0)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<BlockingTaskTests.many {
                    group.addTask { waitHere(for: semaphore) }
                }
                group.addTask { for _ in 0..<BlockingTaskTests.many { semaphore.signal() } }
            }
        }
    }

    @Test("Many tasks wait in read(2) for bytes that later tasks write")
    func reading() async {
        await #expect(processExitsWith: .success) {
            begin()
            var pair: [Int32] = [-1, -1]
            #expect(pipe(&pair) == 0)
            let (reader, writer) = (pair[0], pair[1])
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<BlockingTaskTests.many {
                    group.addTask {
                        var byte: UInt8 = 0
                        return Glibc.read(reader, &byte, 1)
                    }
                }
                for _ in 0..<BlockingTaskTests.many {
                    group.addTask { Glibc.write(writer, "x", 1) }
                }
                for await count in group { #expect(count == 1) }
            }
        }
    }

    @Test("Many tasks wait in flock(2) for a lock that an earlier one holds, and call fsync(2)")
    func files() async {
        await #expect(processExitsWith: .success) {
            begin()
            let folder = Folder()
            let path = folder.makeFile("lock", [])
            let (isHeld, waiting) = (Gate(), Watched(0))
            await withTaskGroup(of: Bool.self) { group in
                for number in 0...BlockingTaskTests.many {
                    group.addTask {
                        if number > 0 {
                            expectOpens(isHeld)
                            waiting.increment()
                        }
                        let file = open(path, O_RDWR | O_CLOEXEC)
                        defer { close(file) }
                        guard flock(file, LOCK_EX) == 0 else { return false }
                        if number == 0 {
                            isHeld.open()
                            expectEventually(waiting) { $0 == BlockingTaskTests.many }
                        }
                        return Glibc.write(file, "x", 1) == 1 && fsync(file) == 0
                    }
                }
                for await hasWritten in group { #expect(hasWritten) }
            }
        }
    }

    @Test("Others continue while many sleep in usleep, in default actors, too")
    func sleeping() async {
        await #expect(processExitsWith: .success) {
            begin()
            let stop = Gate()
            let sleepers = (0..<BlockingTaskTests.many).map { number in
                Task {
                    let sleeper = Sleeper()
                    while !stop.wasOpened {
                        if number % 2 == 0 { usleep(2_000) } else { await sleeper.sleep() }
                    }
                }
            }
            for _ in 0..<200 { await Task {}.value }
            stop.open()
            for sleeper in sleepers { await sleeper.value }
        }
    }

    @Test("A child process that a task waits for does not stop the others")
    func process() async {
        await #expect(processExitsWith: .success) {
            begin()
            await withTaskGroup(of: Int32.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var child: pid_t = 0
                        let arguments: [UnsafeMutablePointer<CChar>?] = [
                            strdup("/bin/sleep"), strdup("0.05"), nil,
                        ]
                        defer { for argument in arguments { free(argument) } }
                        guard posix_spawn(&child, "/bin/sleep", nil, nil, arguments, nil) == 0
                        else { return -1 }
                        var status: Int32 = -1
                        waitpid(child, &status, 0)
                        return status
                    }
                }
                for _ in 0..<100 { await Task {}.value }
                for await status in group { #expect(status == 0) }
            }
        }
    }
}

private actor Sleeper {
    func sleep() { usleep(2_000) }
}

/// An asynchronous function may not call `wait` itself.
private func waitHere(for semaphore: DispatchSemaphore) { semaphore.wait() }
