import Foundation
import RingDispatch
import TestSupport
import Testing

@Suite("The threads of tasks", .watchdog)
struct ThreadTests {
    @Test("All are the runtime's: Swift's own executor makes none any more")
    func named() async {
        await #expect(processExitsWith: .success) {
            begin()
            // The test library has used Swift's own executor before.
            await Task.yield()
            let before = Set(threadIdentifiers())
            for _ in 0..<100 {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<10 {
                        group.addTask(priority: .background) { await Task.yield() }
                        group.addTask { try? await Task.sleep(for: .microseconds(10)) }
                        group.addTask { await Task.detached(priority: .high) {}.value }
                    }
                }
                for thread in threadIdentifiers() where !before.contains(thread) {
                    // A thread has the name of the one that made it until it takes its own.
                    // libdispatch names its threads by their queues.
                    guard let name = name(of: thread) else { continue }
                    #expect(name.hasPrefix("ring-"), "a thread \(name)")
                }
            }
        }
    }
}

private func threadIdentifiers() -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
}

/// Nil once the thread has ended.
private func name(of thread: String) -> String? {
    try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)
}

private let folder = "/proc/self/task"
