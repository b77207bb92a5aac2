import RingDispatch
import Testing

/// Applies random steps to data and to an array, and compares them.
@Suite("DispatchData against an array")
struct DataRandomTests {
    @Test("Thousands of random steps give what an array gives", arguments: 1...8)
    func randomSteps(seed: UInt64) {
        let returns = Watched(0)
        var run = RandomRun(seed: seed, returns: returns)
        for _ in 0..<(isDeep ? 2000 : 600) {
            guard run.step() else {
                Issue.record("seed \(seed), step \(run.steps): \(run.lastStep)")
                break
            }
        }
        run.forget()
        #expect(returns.value == run.blocks)
    }
}

private struct RandomRun {
    private var generator: SeededGenerator
    private let returns: Watched<Int>
    private var pool: [(data: DispatchData, bytes: [UInt8])] = [(.empty, [])]
    private(set) var steps = 0
    private(set) var blocks = 0
    private(set) var lastStep = ""

    init(seed: UInt64, returns: Watched<Int>) {
        generator = SeededGenerator(seed: seed)
        self.returns = returns
    }

    mutating func forget() { pool = [] }

    private mutating func random(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &generator)
    }

    private mutating func randomBytes(_ most: Int) -> [UInt8] {
        let seed = random(0...255)
        return countingBytes(random(0...most), from: seed)
    }

    private mutating func randomRange(_ count: Int) -> Range<Int> {
        let ends = [random(0...count), random(0...count)].sorted()
        return ends[0]..<ends[1]
    }

    /// False when data and array differ.
    mutating func step() -> Bool {
        steps += 1
        let place = random(0...pool.count - 1)
        switch random(0...9) {
        case 0...2: appendBytes(place)
        case 3: appendBlock(place)
        case 4: appendOther(place)
        case 5: addPart(place)
        case 6: addCopy(place)
        case 7: return copiesRange(place)
        case 8: return readsBytes(place)
        default: return readsRegions(place)
        }
        return pool[place].data.count == pool[place].bytes.count
    }

    private mutating func appendBytes(_ place: Int) {
        lastStep = "append bytes"
        guard pool[place].bytes.count < 20_000 else { return }
        let bytes = randomBytes(random(0...9) == 0 ? 6000 : 20)
        bytes.withUnsafeBytes { pool[place].data.append($0) }
        pool[place].bytes += bytes
    }

    private mutating func appendBlock(_ place: Int) {
        lastStep = "append a block"
        let bytes = [7] + randomBytes(50)
        blocks += 1
        pool[place].data.append(Block.data(bytes, returns: returns))
        pool[place].bytes += bytes
    }

    private mutating func appendOther(_ place: Int) {
        lastStep = "append data"
        let other = pool[random(0...pool.count - 1)]
        guard pool[place].bytes.count + other.bytes.count < 20_000 else { return }
        pool[place].data.append(other.data)
        pool[place].bytes += other.bytes
    }

    private mutating func addPart(_ place: Int) {
        lastStep = "take a part"
        let range = randomRange(pool[place].bytes.count)
        replace((pool[place].data.subdata(in: range), Array(pool[place].bytes[range])))
    }

    private mutating func addCopy(_ place: Int) {
        lastStep = "copy"
        replace(pool[place])
    }

    /// Keeps the pool small.
    private mutating func replace(_ new: (data: DispatchData, bytes: [UInt8])) {
        if pool.count < 6 { pool.append(new) } else { pool[random(0...5)] = new }
    }

    private mutating func copiesRange(_ place: Int) -> Bool {
        lastStep = "copy a range out"
        let range = randomRange(pool[place].bytes.count)
        var target = [UInt8](repeating: 0, count: range.count + 1)
        target.withUnsafeMutableBytes { pool[place].data.copyBytes(to: $0, from: range) }
        return target.dropLast().elementsEqual(pool[place].bytes[range]) && target.last == 0
    }

    private mutating func readsBytes(_ place: Int) -> Bool {
        lastStep = "read bytes"
        let (data, bytes) = pool[place]
        for _ in 0..<50 where !bytes.isEmpty {
            let index = random(0...bytes.count - 1)
            guard data[index] == bytes[index] else { return false }
            let found = data.region(location: index)
            guard found.data[index - found.offset] == bytes[index] else { return false }
        }
        return data.elementsEqual(bytes) && data == DispatchData(bytes)
    }

    private mutating func readsRegions(_ place: Int) -> Bool {
        lastStep = "read regions"
        let (data, bytes) = pool[place]
        guard data.regions.allSatisfy({ !$0.isEmpty }) else { return false }
        guard data.regions.reduce(0, { $0 + $1.count }) == data.count else { return false }
        var all: [UInt8] = []
        data.enumerateBytes { buffer, index, stop in
            stop = index != all.count
            all.append(contentsOf: buffer)
        }
        return all == bytes && Array(data) == bytes
    }
}
