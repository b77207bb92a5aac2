import RingDispatch
import Testing

@Suite("Appending to DispatchData")
struct DataAppendTests {
    private func append(_ bytes: [UInt8], to data: inout DispatchData) {
        bytes.withUnsafeBytes { data.append($0) }
    }

    @Test("Appending data copies no byte")
    func sharesRegions() {
        let parts = [copied(countingBytes(10)), .empty, copied(countingBytes(20)), regions(5, 5)]
        var data = DispatchData.empty
        for part in parts { data.append(part) }
        #expect(data.count == 40)
        #expect(data.addresses == parts.flatMap(\.addresses))
    }

    @Test("Many small buffers become few regions", arguments: [1, 3, 64, 100])
    func coalesces(size: Int) {
        let total = 100_000
        var data = DispatchData.empty
        for start in stride(from: 0, to: total, by: size) {
            append(countingBytes(size, from: start), to: &data)
        }
        #expect(data.count >= total)
        #expect(data.elementsEqual(countingBytes(data.count)))
        #expect(data.regions.count <= 20)
        #expect(data.regions.allSatisfy { !$0.isEmpty })
    }

    @Test("Bytes do not move when others are appended")
    func staysInPlace() {
        var data = copied(countingBytes(10))
        var seen = data.addresses
        for number in 0..<5000 {
            append([UInt8(truncatingIfNeeded: number)], to: &data)
            #expect(data.addresses.starts(with: seen))
            seen = data.addresses
        }
    }

    @Test("A large buffer keeps its own region, and small ones follow it")
    func large() {
        var data = DispatchData.empty
        append(countingBytes(1_000_000), to: &data)
        append(countingBytes(10), to: &data)
        append(countingBytes(10, from: 10), to: &data)
        #expect(data.regions.map(\.count) == [1_000_000, 20])
        #expect(Array(data.subdata(in: 1_000_000..<1_000_020)) == countingBytes(20))
    }

    @Test("Room behind small buffers is not searched for behind later ones")
    func roomIsOfTheLastRegion() {
        var data = DispatchData.empty
        for _ in 0..<1000 { append(countingBytes(30), to: &data) }
        let small = data.regions.count
        append(countingBytes(5000), to: &data)
        append([1], to: &data)
        data.append(copied(countingBytes(100)))
        append([2], to: &data)
        data.append(DispatchData(countingBytes(100)))
        append([3], to: &data)
        #expect(data.regions.dropFirst(small).map(\.count) == [5000, 1, 100, 1, 100, 1])
        data = data.subdata(in: 0..<30_010)
        append([4], to: &data)
        #expect(data.regions.dropFirst(small).map(\.count) == [10, 1])
    }

    @Test("Appending to a copy changes neither the other copy nor its parts")
    func valueSemantics() {
        var data = DispatchData.empty
        append([1, 2, 3], to: &data)
        var copies: [DispatchData] = []
        for number in 0..<200 {
            copies.append(data)
            append([UInt8(number)], to: &data)
            // The same place in memory, if the two shared a tail.
            var other = copies[number]
            append([255], to: &other)
            #expect(other.last == 255)
            #expect(data.last == UInt8(number))
        }
        for (number, copy) in copies.enumerated() {
            #expect(Array(copy) == [1, 2, 3] + countingBytes(number))
        }
    }

    @Test("A part that ends before the whole does not write behind itself")
    func partWritesElsewhere() {
        var whole = DispatchData.empty
        append(countingBytes(20), to: &whole)
        var part = whole.subdata(in: 0..<10)
        append([255], to: &part)
        #expect(Array(whole) == countingBytes(20))
        #expect(Array(part) == countingBytes(10) + [255])
    }

    @Test("An iterator does not see bytes appended later")
    func iteratorIsASnapshot() {
        var data = DispatchData.empty
        append([1, 2], to: &data)
        let iterator = data.makeIterator()
        append([3], to: &data)
        #expect(Array(iterator) == [1, 2])
        #expect(Array(data) == [1, 2, 3])
    }

    @Test("A value that is appended to itself can grow on")
    func appendToItself() {
        var data = DispatchData.empty
        append([1, 2], to: &data)
        data.append(data)
        append([3], to: &data)
        data.append(data)
        append([4], to: &data)
        #expect(Array(data) == [1, 2, 1, 2, 3, 1, 2, 1, 2, 3, 4])
    }

    @Test("Buffers of other types are appended with all their bytes")
    func otherTypes() {
        var data = DispatchData.empty
        [UInt32(0x0403_0201), 0x0807_0605].withUnsafeBufferPointer { data.append($0) }
        [UInt8]([9]).withUnsafeBufferPointer { data.append($0) }
        #expect(Array(data) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
        data.append(UnsafeBufferPointer<UInt64>(start: nil, count: 0))
        data.append(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(data.count == 9)
    }
}
