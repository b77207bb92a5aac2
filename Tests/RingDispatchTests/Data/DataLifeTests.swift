import RingDispatch
import Testing

@Suite("Lifetime of the memory of DispatchData", .watchdog)
struct DataLifeTests {
    @Test("Reading in every way leaves no reference behind")
    func noLeak() {
        let returns = Watched(0)
        do {
            var data = Block.data(countingBytes(100), returns: returns)
            data.append(Block.data(countingBytes(100, from: 100), returns: returns))
            var sum = 0
            for _ in 0..<1000 { for index in data.indices { sum += Int(data[index]) } }
            for byte in data { sum += Int(byte) }
            sum += data.reversed().reduce(0) { $0 + Int($1) }
            for region in data.regions { sum += region.count }
            data.enumerateBytes { buffer, _, _ in sum += buffer.count }
            sum += data.withUnsafeBytes { (start: UnsafePointer<UInt8>) in Int(start[150]) }
            sum += data.withSpan { Int($0[150]) }
            sum += [UInt8](data).count + DispatchData(data).count + data.hashValue & 1
            #expect(sum > 0 && data == data.subdata(in: 0..<200))
            #expect(returns.value == 0)
        }
        #expect(returns.value == 2)
    }

    @Test("A part keeps only the regions that it has bytes of")
    func partsKeepTheirRegions() {
        let returns = (0..<5).map { _ in Watched(0) }
        var data = DispatchData.empty
        for number in 0..<5 {
            data.append(Block.data(countingBytes(10, from: data.count), returns: returns[number]))
        }
        var part = data.subdata(in: 15..<30)
        data = .empty
        #expect(returns.map(\.value) == [1, 0, 0, 1, 1])
        part = part.subdata(in: 5..<15)
        #expect(returns.map(\.value) == [1, 1, 0, 1, 1])
        #expect(Array(part) == countingBytes(10, from: 20))
        part = .empty
        #expect(returns.map(\.value) == [1, 1, 1, 1, 1])
    }

    @Test("Neighbours in memory with an owner each are two regions, and keep both")
    func neighbours() {
        let returns = [Watched(0), Watched(0)]
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 20, alignment: 1)
        defer { bytes.deallocate() }
        bytes.copyBytes(from: countingBytes(20))
        let start = UnsafeRawPointer(bytes.baseAddress!)
        var data = DispatchData.empty
        for number in 0..<2 {
            let owner = Block([0], returns: returns[number])
            data.append(DispatchData(start: start + 10 * number, count: 10, owner: owner))
        }
        #expect(data.addresses == [start, start + 10])
        #expect(returns.map(\.value) == [0, 0])
        data = data.subdata(in: 10..<20)
        #expect(returns.map(\.value) == [1, 0])
        data = .empty
        #expect(returns.map(\.value) == [1, 1])
    }

    @Test("An owner without bytes to keep is not kept")
    func emptyOwner() {
        let returns = Watched(0)
        let data: DispatchData
        do {
            let block = Block([1], returns: returns)
            data = DispatchData(start: block.start, count: 0, owner: block)
        }
        #expect(data.isEmpty && data.regions.isEmpty)
        withExtendedLifetime(data) { #expect(returns.value == 1) }
    }

    @Test("Threads share data, each with its own copies, and the last one frees it")
    func threads() {
        let returns = Watched(0)
        let sums = Watched<[Int]>([])
        let regionCount = 50
        let threads = makeThreads(regionCount, returns, sums)
        for thread in threads { #expect(thread.join()) }
        let expected = (0..<regionCount * 100).reduce(0) { $0 + $1 & 255 }
        #expect(sums.value == [Int](repeating: expected, count: 4))
        expectEventually(returns) { $0 == regionCount }
    }

    private func makeThreads(
        _ regionCount: Int, _ returns: Watched<Int>, _ sums: Watched<[Int]>
    ) -> [UserThread] {
        var data = DispatchData.empty
        for _ in 0..<regionCount {
            data.append(Block.data(countingBytes(100, from: data.count), returns: returns))
        }
        let shared = data
        return (0..<4).map { number in
            UserThread {
                var own = shared
                for round in 0..<500 {
                    withUnsafeBytes(of: UInt8(number)) { own.append($0) }
                    let end = own.count
                    precondition(own[end - 1] == UInt8(number))
                    let part = own.subdata(in: round..<end)
                    precondition(part[0] == UInt8(truncatingIfNeeded: round))
                }
                let tail = own.subdata(in: shared.count..<own.count)
                precondition(tail.count == 500 && tail.allSatisfy { $0 == UInt8(number) })
                sums.append(shared.reduce(0) { $0 + Int($1) })
            }
        }
    }

    @Test("Threads that got the same small tail write to memory of their own")
    func sharedTail() {
        for _ in 0..<100 {
            var data = DispatchData.empty
            withUnsafeBytes(of: UInt8(7)) { data.append($0) }
            let shared = data
            data = .empty
            let ends = Watched<[[UInt8]]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { number in
                var own = shared
                for _ in 0..<10 { withUnsafeBytes(of: UInt8(number)) { own.append($0) } }
                ends.append(Array(own))
            }
            #expect(Set(ends.value.map { $0[1] }) == [0, 1, 2, 3])
            for bytes in ends.value {
                #expect(bytes[0] == 7 && bytes.count == 11 && Set(bytes[1...]).count == 1)
            }
        }
    }
}
