import RingNetwork
import Testing

@Suite("Names of Unix sockets")
struct UnixAddressTests {
    @Test("paths and abstract names have 1 to 107 bytes", arguments: [false, true])
    func length(isAbstract: Bool) throws {
        #expect(UnixAddress.longestBytes == 107)
        let longest = [UInt8](repeating: UInt8(ascii: "a"), count: 107)
        #expect(try UnixAddress(bytes: longest, isAbstract: isAbstract).bytes == longest)
        let tooLong = #expect(throws: EndpointError.self) {
            try UnixAddress(bytes: longest + [1], isAbstract: isAbstract)
        }
        #expect(tooLong?.reason == .unixNameTooLong)
        let empty = #expect(throws: EndpointError.self) {
            try UnixAddress(bytes: [], isAbstract: isAbstract)
        }
        #expect(empty?.reason == .emptyUnixName)
    }

    @Test("the limit applies to the name, not to its text")
    func lengthOfText() throws {
        let text = "unix:@" + String(repeating: "%00", count: 107)
        #expect(try Endpoint(text).description == text)
        let error = #expect(throws: EndpointError.self) { try Endpoint(text + "%00") }
        #expect(error?.reason == .unixNameTooLong)
    }

    @Test("a path has no NUL, an abstract name may have some")
    func nul() throws {
        let error = #expect(throws: EndpointError.self) { try UnixAddress(path: "/a\0b") }
        #expect(error?.reason == .unixPathHasNUL)
        #expect(try UnixAddress(abstractName: "a\0b").description == "unix:@a%00b")
    }

    @Test("names are strings where they are UTF-8")
    func strings() throws {
        let path = try UnixAddress(path: "/ä")
        #expect(path.path == "/ä" && path.abstractName == nil && !path.isAbstract)
        let name = try UnixAddress(abstractName: "ä")
        #expect(name.path == nil && name.abstractName == "ä" && name.isAbstract)
        #expect(try UnixAddress(bytes: [0xff], isAbstract: false).path == nil)
        #expect(try UnixAddress(path: "a") != UnixAddress(abstractName: "a"))
    }

    @Test("any bytes print as a text that is read back", arguments: 1...4)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let isAbstract = Bool.random(using: &generator)
            let least: UInt8 = isAbstract ? 0 : 1
            let count = Int.random(in: 1...107, using: &generator)
            var bytes = (0..<count).map { _ in UInt8.random(in: least...255, using: &generator) }
            if Bool.random(using: &generator) {
                let starts = ["/", "//", "///", "@", "@@", "%", "/@"]
                bytes = Array((starts.randomElement(using: &generator)!.utf8 + bytes).prefix(107))
            }
            let address = try UnixAddress(bytes: bytes, isAbstract: isAbstract)
            if try Endpoint(address.description) != .unix(address) { Issue.record("\(address)") }
        }
    }
}
