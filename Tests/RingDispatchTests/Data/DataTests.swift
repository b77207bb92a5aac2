import RingDispatch
import Testing

@Suite("DispatchData")
struct DataTests {
    @Test("Data copies the bytes it is created from")
    func copies() {
        var bytes = countingBytes(100)
        let data = copied(bytes)
        bytes[0] = 77
        #expect(data.count == 100)
        #expect(Array(data) == countingBytes(100))
        #expect(data.regions.count == 1)
    }

    @Test("Concatenating adds the sizes up and keeps the order")
    func concatenation() {
        var data = DispatchData.empty
        for number in 0..<20 {
            data.append(copied(countingBytes(number * 10, from: data.count)))
            #expect(data.count == number * (number + 1) * 5)
            #expect(data.regions.count == number)
        }
        #expect(Array(data) == countingBytes(1900))
        data.append(data)
        #expect(data.count == 3800)
        #expect(Array(data) == countingBytes(1900) + countingBytes(1900))
    }

    @Test("A value in one piece is not copied, one in several is", arguments: [1, 2, 1000])
    func contiguousBytes(regionCount: Int) {
        let data = (0..<regionCount).reduce(into: DispatchData.empty) { data, number in
            data.append(copied(countingBytes(7, from: number * 7)))
        }
        data.withUnsafeBytes { (start: UnsafePointer<UInt8>) in
            #expect(Array(UnsafeBufferPointer(start: start, count: data.count)) == Array(data))
            #expect((UnsafeRawPointer(start) == data.addresses[0]) == (regionCount == 1))
        }
        data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            #expect(Array(bytes) == Array(data))
        }
        let sum = data.withSpan { span in
            span.indices.reduce(0) { $0 + Int(span[$1]) }
        }
        #expect(sum == data.reduce(0) { $0 + Int($1) })
        let copy = data.withContiguousStorageIfAvailable { Array($0) }
        #expect(copy == (regionCount == 1 ? Array(data) : nil))
    }

    @Test("withUnsafeBytes infers its content type, and passes results and errors on")
    func contentType() throws {
        struct Failure: Error {}
        let data = copied([1, 0, 0, 0, 2, 0, 0, 0])
        let second: UInt32 = data.withUnsafeBytes { $0[1] }
        #expect(second == 2)
        let fifth: UInt8 = data.withUnsafeBytes { $0[4] }
        #expect(fifth == 2)
        let first = data.withUnsafeBytes(body: { (start: UnsafePointer<UInt32>) in start.pointee })
        #expect(first == 1)
        #expect(throws: Failure.self) {
            try data.withUnsafeBytes { (_: UnsafePointer<UInt32>) in throw Failure() }
        }
        #expect(throws: Failure.self) { try data.withSpan { _ throws(Failure) in throw Failure() } }
    }

    @Test("withUnsafeBytes gives memory that is aligned for the type")
    func alignment() {
        let data = copied([9, 5, 0, 0, 0, 0, 0, 0, 0]).subdata(in: 1..<9)
        data.withUnsafeBytes { (start: UnsafePointer<UInt64>) in
            #expect(UInt(bitPattern: start) % 8 == 0)
            #expect(start.pointee == 5)
        }
    }

    @Test("Data without bytes is empty in every respect")
    func empty() {
        var fromEmptyPart = copied([1, 2, 3]).subdata(in: 2..<2)
        fromEmptyPart.append(.empty)
        let values = [
            DispatchData.empty, copied([]), DispatchData([]), fromEmptyPart,
            DispatchData(bytes: UnsafeRawBufferPointer(start: nil, count: 0)),
        ]
        for data in values {
            #expect(data.count == 0 && data.isEmpty && data.first == nil && data.last == nil)
            #expect(Array(data) == [])
            #expect(data.regions.isEmpty)
            #expect(data == .empty)
            data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in #expect(bytes.count == 0) }
            data.withUnsafeBytes { (start: UnsafePointer<SIMD4<Int>>) in
                #expect(UInt(bitPattern: start) % 16 == 0)
            }
            #expect(data.withSpan { $0.count } == 0)
            #expect(data.withContiguousStorageIfAvailable { $0.count } == 0)
            data.enumerateBytes { _, _, _ in Issue.record("there is no region") }
            var iterator = data.makeIterator()
            #expect(iterator.next() == nil && iterator.next() == nil)
            #expect(data.region(location: 0).data.isEmpty)
            data.copyBytes(to: UnsafeMutableRawBufferPointer(start: nil, count: 0), count: 0)
            #expect(data.subdata(in: 0..<0) == data)
        }
    }

    @Test("enumerateBytes gives each region once, with its index")
    func enumeration() {
        let data = regions(3, 5, 1)
        var seen: [[UInt8]] = []
        var indices: [Int] = []
        data.enumerateBytes { buffer, index, _ in
            seen.append(Array(buffer))
            indices.append(index)
        }
        #expect(seen == [[0, 1, 2], [3, 4, 5, 6, 7], [8]])
        #expect(indices == [0, 3, 8])
    }

    @Test("enumerateBytes ends when the block says so", arguments: 1...3)
    func enumerationStops(after limit: Int) {
        var calls = 0
        regions(3, 5, 1).enumerateBytes { _, _, stop in
            calls += 1
            stop = calls == limit
        }
        #expect(calls == limit)
    }

    @Test("region(location:) finds the region of each byte")
    func regionOfLocation() {
        let sizes = [3, 5, 1, 40]
        let data = regions(3, 5, 1, 40)
        var offset = 0
        for (number, size) in sizes.enumerated() {
            for location in offset..<offset + size {
                let found = data.region(location: location)
                #expect(found.offset == offset)
                #expect(Array(found.data) == countingBytes(size, from: offset))
                #expect(found.data.addresses == [data.addresses[number]])
            }
            offset += size
        }
        let behind = data.region(location: 49)
        #expect(behind.offset == 49 && behind.data.isEmpty)
        #expect(data.region(location: .max).offset == 49)
    }

    @Test("A part shares the memory of the whole")
    func partsShare() {
        let data = regions(10, 10, 10)
        let whole = data.addresses
        #expect(data.subdata(in: 0..<30).addresses == whole)
        #expect(data.subdata(in: 5..<25).addresses == [whole[0] + 5, whole[1], whole[2]])
        #expect(data.subdata(in: 10..<20).addresses == [whole[1]])
        #expect(data.subdata(in: 12..<13).addresses == [whole[1] + 2])
        #expect(data.subdata(in: 29..<30).addresses == [whole[2] + 9])
        for start in 0...30 {
            for end in start...30 {
                let part = data.subdata(in: start..<end)
                #expect(Array(part) == countingBytes(end - start, from: start))
            }
        }
    }

    @Test("Parts that are put together again are in one piece where they were before")
    func partsJoin() {
        let data = regions(10, 10)
        var joined = data.subdata(in: 0..<3)
        joined.append(data.subdata(in: 3..<12))
        joined.append(data.subdata(in: 12..<20))
        #expect(joined.addresses == data.addresses)
        #expect(joined == data)
        var swapped = data.subdata(in: 5..<10)
        swapped.append(data.subdata(in: 0..<5))
        #expect(Array(swapped) == [5, 6, 7, 8, 9, 0, 1, 2, 3, 4])
    }

    @Test("An iterator walks thousands of regions, and keeps them")
    func iteration() {
        let returns = Watched(0)
        let sizes = (0..<5000).map { $0 % 7 + 1 }
        var data = DispatchData.empty
        for size in sizes {
            data.append(Block.data(countingBytes(size, from: data.count), returns: returns))
        }
        var iterator = data.makeIterator()
        let total = data.count
        data = .empty
        #expect(returns.value == 0)
        for index in 0..<total {
            let byte = iterator.next()
            if byte != UInt8(truncatingIfNeeded: index) {
                Issue.record("byte \(index) is \(String(describing: byte))")
                break
            }
        }
        #expect(iterator.next() == nil)
        iterator = DispatchData.empty.makeIterator()
        #expect(returns.value == sizes.count)
    }

    @Test("An iterator is a sequence of the remaining bytes")
    func iteratorAsSequence() {
        var iterator = DispatchDataIterator(_data: regions(2, 2, 2))
        _ = iterator.next()
        _ = iterator.next()
        _ = iterator.next()
        #expect(Array(iterator) == [3, 4, 5])
        #expect(iterator.next() == 3)
    }
}
