import Testing

@testable import KeyValueStore

/// The table and the heap of deadlines against plain collections that do the same.
@Suite("Tables")
struct EntryTableTests {
    private func entry(_ key: Int) -> Entry {
        "\(key)".utf8CString.withUnsafeBytes { Entry(key: $0, valueCount: 0) }
    }

    private func find(_ key: Int, hash: UInt64, in table: borrowing EntryTable) -> Entry? {
        "\(key)".utf8CString.withUnsafeBytes { table.find(hash, $0)?.pointee.entry }
    }

    @Test(
        "a table holds what was put into it and not taken out, while it grows and shrinks",
        arguments: [
            // Good hashes; hashes that share their low bits; a few hashes for all keys.
            { UInt64($0) &* 0x9e37_79b9_7f4a_7c15 }, { UInt64($0 % 50) << 20 }, { _ in 7 },
            { UInt64($0 % 3) &- 2 },
        ] as [@Sendable (Int) -> UInt64])
    func model(hash: @Sendable (Int) -> UInt64) {
        var random = SeededGenerator(seed: 1)
        var table = EntryTable()
        var model: [Int: Entry] = [:]
        // Grows, stays, shrinks, and once more.
        for phase in [(300, 0.9), (600, 0.5), (600, 0.1), (2000, 0.8), (3000, 0.05)] {
            for _ in 0..<phase.0 {
                let inserts = Double.random(in: 0..<1, using: &random) < phase.1
                let key =
                    inserts
                    ? Int.random(in: 0..<1000, using: &random)
                    : model.keys.randomElement(using: &random) ?? 0
                if inserts, model[key] == nil {
                    let entry = entry(key)
                    table.insert(entry, hash: hash(key))
                    model[key] = entry
                } else if !inserts, let entry = model.removeValue(forKey: key) {
                    table.remove(table.slot(of: entry, hash: hash(key)))
                    entry.deallocate()
                }
                #expect(table.count == model.count)
                let probe = Int.random(in: 0..<1000, using: &random)
                #expect(find(probe, hash: hash(probe), in: table) == model[probe])
            }
            for key in 0..<1000 { #expect(find(key, hash: hash(key), in: table) == model[key]) }
            var seen = 0
            table.forEach { _ in seen += 1 }
            #expect(seen == model.count)
        }
        #expect(table.memoryBytes <= 16 * 1024 * 4)
        table.forEach { $0.deallocate() }
    }

    @Test("an emptied table gives its memory back")
    func shrinking() {
        var table = EntryTable()
        let entries = (0..<5000).map { (entry($0), UInt64($0) &* 0x9e37_79b9_7f4a_7c15) }
        for (entry, hash) in entries { table.insert(entry, hash: hash) }
        let largest = table.memoryBytes
        for (entry, hash) in entries {
            table.remove(table.slot(of: entry, hash: hash))
            entry.deallocate()
        }
        #expect(table.count == 0)
        #expect(table.memoryBytes < largest / 50)
    }

    @Test("the heap tells the earliest deadline, also when deadlines change and go")
    func heap() {
        var random = SeededGenerator(seed: 2)
        var heap = DeadlineHeap()
        var model: [(deadline: Int64, entry: Entry)] = []
        for _ in 0..<5000 {
            let deadline = Int64.random(in: 0..<500, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                model.append((deadline, entry(model.count)))
                heap.set(deadline, for: model.last!.entry, hash: 0)
            case 2 where !model.isEmpty:
                let index = Int.random(in: model.indices, using: &random)
                model[index].deadline = deadline
                heap.set(deadline, for: model[index].entry, hash: 0)
            case 3 where !model.isEmpty:
                let index = Int.random(in: model.indices, using: &random)
                let entry = model.remove(at: index).entry
                heap.remove(entry)
                #expect(!entry.hasDeadline)
                entry.deallocate()
            default: break
            }
            #expect(heap.count == model.count)
            #expect(heap.first?.deadline == model.map(\.deadline).min())
        }
        for (deadline, entry) in model { #expect(heap.deadline(of: entry) == deadline) }
        for (_, entry) in model { entry.deallocate() }
    }
}
