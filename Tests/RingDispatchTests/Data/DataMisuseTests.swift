import RingDispatch
import Testing

@Suite("Misuse of DispatchData traps with a message that names it", .serialized)
struct DataMisuseTests {
    /// Three regions, ten bytes.
    static func sample() -> DispatchData { regions(3, 3, 4) }

    @Test("An index behind the last byte")
    func indexBehind() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DataMisuseTests.sample()[10]
        }
        expectMessage(result, naming: "DispatchData", "index 10", "count is 10")
    }

    @Test("A negative index")
    func indexBefore() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = regions(5)[-1]
        }
        expectMessage(result, naming: "DispatchData", "index -1", "count is 5")
    }

    @Test("An index into data without bytes")
    func indexOfEmpty() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DispatchData.empty[0]
        }
        expectMessage(result, naming: "index 0", "count is 0")
    }

    @Test("A slice that reaches beyond the data")
    func slice() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DataMisuseTests.sample()[5..<11]
        }
        expectMessage(result, naming: "subscript", "5..<11", "count is 10")
    }

    @Test("A part that reaches beyond the data")
    func part() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DataMisuseTests.sample().subdata(in: -1..<4)
        }
        expectMessage(result, naming: "subdata", "-1..<4", "count is 10")
    }

    @Test("A region at a negative location")
    func region() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DataMisuseTests.sample().region(location: -1)
        }
        expectMessage(result, naming: "index -1", "count is 10")
    }

    @Test("A region beyond the data")
    func regionIndex() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DataMisuseTests.sample().regions[3]
        }
        expectMessage(result, naming: "regions", "index 3", "count is 3")
    }

    @Test("Copying more than there is")
    func copyTooMany() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            var target = [UInt8](repeating: 0, count: 20)
            target.withUnsafeMutableBytes { DataMisuseTests.sample().copyBytes(to: $0, count: 11) }
        }
        expectMessage(result, naming: "copyBytes", "0..<11", "count is 10")
    }

    @Test("Copying a negative number of bytes")
    func copyNegative() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            var target = [UInt8](repeating: 0, count: 20)
            target.withUnsafeMutableBytes { DataMisuseTests.sample().copyBytes(to: $0, count: -1) }
        }
        expectMessage(result, naming: "copyBytes", "count -1 is negative")
    }

    @Test("Copying to a buffer that is too small")
    func copyWithoutRoom() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            var target = [UInt8](repeating: 0, count: 4)
            target.withUnsafeMutableBytes { DataMisuseTests.sample().copyBytes(to: $0, count: 5) }
        }
        expectMessage(result, naming: "copyBytes", "room for 4 bytes", "not for 5")
    }

    @Test("Copying a range that reaches beyond the data to a typed buffer")
    func copyTypedRange() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            var target = [UInt8](repeating: 0, count: 4)
            target.withUnsafeMutableBufferPointer {
                _ = DataMisuseTests.sample().copyBytes(to: $0, from: 8..<12)
            }
        }
        expectMessage(result, naming: "copyBytes", "8..<12", "count is 10")
    }

    @Test("Memory of a negative size")
    func negativeSize() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let block = Block([1], returns: Watched(0))
            _ = DispatchData(start: block.start, count: -1, owner: block)
        }
        expectMessage(result, naming: "DispatchData.init", "count -1 is negative")
    }
}
