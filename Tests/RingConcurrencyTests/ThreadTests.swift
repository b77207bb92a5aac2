import Foundation
import RingDispatch
import TestSupport
import Testing

@Suite("The threads of tasks", .watchdog)
struct ThreadTests {
    @Test("All are the runtime's: Swift's own executor makes none any more")
    func threads() async {
        await #expect(processExitsWith: .success) {
            begin()
            // The test library has used Swift's own executor before.
            await Task.yield()
            let before = others()
            for _ in 0..<100 {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<10 {
                        group.addTask(priority: .background) { await Task.yield() }
                        group.addTask { try? await Task.sleep(for: .microseconds(10)) }
                        group.addTask { await Task.detached(priority: .high) {}.value }
                    }
                }
                for thread in others().subtracting(before) {
                    // One of the runtime's takes its name soon, and does not end before.
                    #expect(poll { !others().contains(thread) })
                    #expect(name(of: thread) != nil, "it was of another executor")
                }
            }
        }
    }
}

/// All threads but the main one and the runtime's, whose names are unique. A thread has the name of
/// the one that made it until it takes another.
private func others() -> Set<String> {
    var known: Set<String> = []
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return Set(
        threads.sorted().filter { thread in
            guard Int32(thread) != getpid(), let name = name(of: thread) else { return false }
            let isOurs = name.hasPrefix("ring-") && !name.hasPrefix("ring-dispatch")
            return !isOurs || !known.insert(name).inserted
        })
}

/// Nil once the thread has ended.
private func name(of thread: String) -> String? {
    try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)
}

private let folder = "/proc/self/task"
