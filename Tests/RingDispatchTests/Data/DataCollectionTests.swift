import RingDispatch
import Testing

@Suite("DispatchData as a collection, and conversions")
struct DataCollectionTests {
    private let data = regions(4, 4, 4)

    @Test("Indices count from 0 and are plain arithmetic")
    func indices() {
        #expect(data.startIndex == 0 && data.endIndex == 12)
        #expect(data.index(after: 3) == 4 && data.index(before: 3) == 2)
        #expect(data.index(2, offsetBy: 7) == 9 && data.index(9, offsetBy: -7) == 2)
        #expect(data.distance(from: 2, to: 9) == 7 && data.distance(from: 9, to: 2) == -7)
        #expect(Array(data.indices) == Array(0..<12))
        for start in 0...12 {
            for limit in 0...12 {
                for distance in -13...13 {
                    #expect(
                        data.index(start, offsetBy: distance, limitedBy: limit)
                            == countingBytes(12).index(start, offsetBy: distance, limitedBy: limit))
                }
            }
        }
    }

    @Test("A slice keeps the indices of the whole")
    func slices() {
        let slice = data[3..<9]
        #expect(slice.startIndex == 3 && slice.endIndex == 9 && slice[5] == 5)
        #expect(Array(slice) == countingBytes(6, from: 3))
        #expect(Array(data.dropFirst(10)) == [10, 11])
        #expect(data.prefix(2).elementsEqual([0, 1]) && data.suffix(1).elementsEqual([11]))
        #expect(Array(data.reversed()) == countingBytes(12).reversed())
        #expect(
            data.split(separator: 5).map(Array.init) == [[0, 1, 2, 3, 4], [6, 7, 8, 9, 10, 11]])
        #expect(data.firstIndex(of: 7) == 7)
        let part = DispatchData(slice)
        #expect(Array(part) == Array(slice))
        #expect(part.addresses[0] == data.addresses[0] + 3)
    }

    @Test("The regions are a collection of values in one piece")
    func regionCollection() {
        #expect(data.regions.map(Array.init) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]])
        #expect(data.regions[1].addresses == [data.addresses[1]])
        let last: DispatchData.Region? = data.regions.last
        #expect(last.map(Array.init) == [8, 9, 10, 11])
        #expect(last?.startIndex == 0)
        var joined = DispatchData.empty
        for region in data.regions { joined.append(region) }
        #expect(joined.addresses == data.addresses)
    }

    @Test("An array becomes data, and an array again, without being copied")
    func arrays() {
        let array = countingBytes(1000)
        let address = array.withUnsafeBytes { $0.baseAddress! }
        let data = DispatchData(array)
        #expect(data.addresses == [address])
        let back = [UInt8](data)
        #expect(back == array)
        #expect(back.withUnsafeBytes { $0.baseAddress! } == address)
        #expect([UInt8](data.subdata(in: 10..<20)) == countingBytes(10, from: 10))
        #expect([UInt8](self.data) == countingBytes(12))
    }

    @Test("Changing the array does not change the data that was made of it")
    func arrayIsShared() {
        var array = countingBytes(100)
        let data = DispatchData(array)
        array[0] = 77
        array.append(5)
        var back = [UInt8](data)
        back[1] = 78
        #expect(Array(data) == countingBytes(100))
    }

    @Test("Any sequence of bytes becomes data")
    func sequences() {
        #expect(Array(DispatchData("ring".utf8)) == Array("ring".utf8))
        #expect(Array(DispatchData(countingBytes(9)[3..<6])) == [3, 4, 5])
        #expect(Array(DispatchData((0..<5).lazy.map { UInt8($0) })) == [0, 1, 2, 3, 4])
        #expect(Array(DispatchData(data)) == Array(data))
        #expect(Array(DispatchData(EmptyCollection<UInt8>())) == [])
    }

    @Test("Equality and hash are about the bytes, not the regions")
    func equality() {
        let same = [regions(12), regions(1, 11), regions(5, 2, 5), DispatchData(countingBytes(12))]
        for other in same {
            #expect(other == data && data == other)
            #expect(other.hashValue == data.hashValue)
        }
        var bytes = countingBytes(12)
        for index in bytes.indices {
            bytes[index] ^= 1
            #expect(copied(bytes) != data && data != copied(bytes))
            bytes[index] ^= 1
        }
        #expect(data != data.subdata(in: 0..<11))
        #expect(DispatchData.empty != data)
        #expect(Set(same + [data, .empty]).count == 2)
    }

    @Test("The debugger shows size and regions")
    func debugDescription() {
        #expect(data.debugDescription == "DispatchData(12 bytes in 3 regions)")
        #expect(regions(1).debugDescription == "DispatchData(1 byte in 1 region)")
        #expect(DispatchData.empty.debugDescription == "DispatchData(0 bytes in 0 regions)")
    }

    // MARK: copying out

    @Test("copyBytes writes the bytes of a range and nothing else")
    func copying() {
        for start in 0...12 {
            for end in start...12 {
                var target = [UInt8](repeating: 200, count: 14)
                let expected = countingBytes(end - start, from: start)
                target.withUnsafeMutableBytes { data.copyBytes(to: $0, from: start..<end) }
                #expect(target == expected + [UInt8](repeating: 200, count: 14 - expected.count))
            }
        }
        var target = [UInt8](repeating: 200, count: 14)
        target.withUnsafeMutableBytes { data.copyBytes(to: $0, count: 5) }
        #expect(target == countingBytes(5) + [UInt8](repeating: 200, count: 9))
    }

    @Test("copyBytes to a typed buffer copies as much as fits, and returns the count")
    func copyingToTypedBuffers() {
        var words: [UInt32] = [0, 0]
        words.withUnsafeMutableBufferPointer { words in
            #expect(data.copyBytes(to: words) == 8)
            #expect(words[0] == 0x0302_0100 && words[1] == 0x0706_0504)
            #expect(data.copyBytes(to: words, from: 5..<12) == 7)
            #expect(words[0] == 0x0807_0605 && words[1] == 0x070b_0a09)
            #expect(data.copyBytes(to: words, from: 1..<12) == 8)
            #expect(data.copyBytes(to: words, from: 3..<3) == 0)
            #expect(DispatchData.empty.copyBytes(to: words) == 0)
        }
        #expect(data.copyBytes(to: UnsafeMutableBufferPointer<Int>(start: nil, count: 0)) == 0)
    }

    @Test("Buffers for scatter and gather start anywhere and are limited")
    func buffers() {
        func buffers(from offset: Int, limit: Int) -> [[UInt8]] {
            data.withBuffers(from: offset, limit: limit) { $0.map { Array($0) } }
        }
        #expect(buffers(from: 0, limit: 10) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]])
        #expect(buffers(from: 5, limit: 10) == [[5, 6, 7], [8, 9, 10, 11]])
        #expect(buffers(from: 3, limit: 2) == [[3], [4, 5, 6, 7]])
        #expect(buffers(from: 11, limit: 1) == [[11]])
        #expect(buffers(from: 12, limit: 1) == [])
        let addresses = data.withBuffers(from: 0, limit: 3) { $0.map { $0.baseAddress! } }
        #expect(addresses == data.addresses)
    }

    // MARK: old forms

    @Test("The deprecated forms equal their replacements")
    func deprecatedForms() {
        var old: any OldForms = countingBytes(4).withUnsafeBufferPointer(makeOld)
        [UInt8]([4, 5, 6]).withUnsafeBufferPointer { old.append($0.baseAddress!, count: 2) }
        var target = [UInt8](repeating: 200, count: 6)
        old.copyBytes(to: &target, count: 3)
        #expect(target == [0, 1, 2, 200, 200, 200])
        old.copyBytes(to: &target, from: 2..<6)
        #expect(target == [2, 3, 4, 5, 200, 200])
    }

    private func makeOld(_ bytes: UnsafeBufferPointer<UInt8>) -> any OldForms {
        DispatchData(oldBytes: bytes)
    }
}

/// Deprecated calls, behind a protocol that hides the warnings.
private protocol OldForms {
    init(bytes: UnsafeBufferPointer<UInt8>)
    init(bytesNoCopy: UnsafeBufferPointer<UInt8>, deallocator: DispatchData.Deallocator)
    mutating func append(_ bytes: UnsafePointer<UInt8>, count: Int)
    func copyBytes(to pointer: UnsafeMutablePointer<UInt8>, count: Int)
    func copyBytes(to pointer: UnsafeMutablePointer<UInt8>, from range: Range<Int>)
}

extension OldForms {
    init(oldBytes: UnsafeBufferPointer<UInt8>) { self.init(bytes: oldBytes) }
}

extension DispatchData: OldForms {}
