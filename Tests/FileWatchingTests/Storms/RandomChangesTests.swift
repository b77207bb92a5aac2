import Testing

@testable import FileWatching

/// Random changes, with the check of the storms.
@Suite("Random changes", Storm.watchdog)
struct RandomChangesTests {
    private static let seeds: ClosedRange<UInt64> = isDeep ? 1...60 : 1...2

    @Test(
        "the state that follows from the changes is the state of the disk",
        arguments: Storm.windowsMilliseconds, seeds)
    func seeded(windowMilliseconds: Int, seed: UInt64) throws {
        let storm = try Storm(windowMilliseconds: windowMilliseconds)
        defer { storm.end() }
        var changes = RandomChanges(
            seed: seed, tree: storm.tree, beside: storm.folder("beside"))
        for step in 0..<(isDeep ? 600 : 250) {
            changes.step()
            guard changes.happens(oneIn: 60) else { continue }
            storm.observer.watcher.resume()
            storm.check("seed \(seed), step \(step)")
            // Then the events are read when the disk has a later state.
            if changes.happens(oneIn: 2) { storm.observer.watcher.pause() }
        }
        storm.observer.watcher.resume()
        storm.check("seed \(seed), at the end")
    }
}
