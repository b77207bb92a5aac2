import Glibc
import RingNetwork
import Testing

/// The text forms of addresses, against the C library's strict reader and writer.
@Suite("IP addresses")
struct IPAddressTests {
    @Test(
        "only four plain numbers are an IPv4 address",
        arguments: [
            "", ".", "1", "1.2", "1.2.3", "1.2.3.", ".1.2.3", "1..2.3", "1.2.3.4.", "1.2.3.4.5",
            "01.2.3.4", "1.2.3.04", "00.0.0.0", "256.1.1.1", "1.2.3.999", "1.2.3.-4", "+1.2.3.4",
            "1.2.3.4 ", " 1.2.3.4", "0x7f.0.0.1", "1.2.3.a", "1,2,3,4", "1.2.3.4/8", "1.2.3.٣",
            "99999999999999999999.1.1.1",
        ])
    func badIPv4(text: String) {
        let error = #expect(throws: EndpointError.self) { try IPv4Address(text) }
        #expect(error?.reason == .invalidIPv4Address)
        #expect(cLibrary(AF_INET, text) == nil)
    }

    @Test("IPv4 addresses print as they are read")
    func ipv4() throws {
        #expect(try IPv4Address("0.0.0.0") == .any)
        #expect(try IPv4Address("127.0.0.1") == .loopback)
        #expect(try IPv4Address("255.255.255.255") == IPv4Address(rawValue: .max))
        #expect(try IPv4Address("192.0.2.1") == IPv4Address(192, 0, 2, 1))
        #expect(IPv4Address(10, 20, 0, 255).description == "10.20.0.255")
    }

    @Test(
        "IPv6 addresses print in RFC 5952's form",
        arguments: [
            ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("0:0:0:0:0:0:0:0", "::"),
            ("2001:DB8::0001", "2001:db8::1"), ("2001:0db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("fe80::", "fe80::"),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.1"), ("::ffff:c000:201", "::ffff:192.0.2.1"),
            ("::ffff:0:0", "::ffff:0.0.0.0"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
            ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("::1.2.3.4", "::102:304"),
        ])
    func ipv6(text: String, printed: String) throws {
        let address = try IPv6Address(text)
        #expect(address.description == printed)
        #expect(try IPv6Address(printed) == address)
    }

    @Test(
        "only the forms of RFC 4291 are IPv6 addresses",
        arguments: [
            "", ":", "1", ":::", "1:::2", "::1::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
            "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "1::2:3:4:5:6:7:8", ":1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7:", "::12345", "::g", "::1 ", "[::1]", "::1%lo", "1.2.3.4",
            "::1.2.3", "::01.2.3.4", "::1.2.3.4:5", "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4",
            "::1.2.3.256", "::-1",
        ])
    func badIPv6(text: String) {
        let error = #expect(throws: EndpointError.self) { try IPv6Address(text) }
        #expect(error?.reason == .invalidIPv6Address)
        #expect(cLibrary(AF_INET6, text) == nil)
    }

    @Test("random addresses print as inet_ntop prints them, and are read back", arguments: 1...4)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let ipv4 = IPv4Address(rawValue: generator.next())
            if try IPv4Address(ipv4.description) != ipv4 { Issue.record("\(ipv4)") }
            var value: UInt128 = 0
            for _ in 0..<8 {
                let group = [0, 0, 1, UInt16.random(in: 0 ... .max, using: &generator)]
                value = value << 16 | UInt128(group.randomElement(using: &generator)!)
            }
            let ipv6 = IPv6Address(rawValue: value)
            if try IPv6Address(ipv6.description) != ipv6 { Issue.record("\(ipv6)") }
            // The C library also prints ::/96 with an IPv4 address, which RFC 4291 deprecates.
            if value >> 32 != 0, ipv6.description != cLibraryText(value) {
                Issue.record("\(ipv6), in the C library \(cLibraryText(value))")
            }
        }
    }

    @Test("the properties of special addresses")
    func properties() throws {
        func check(_ text: String, _ expected: String) throws {
            let address = try IPAddress(text)
            let found = [
                address.isUnspecified ? "unspecified" : nil, address.isLoopback ? "loopback" : nil,
                address.isMulticast ? "multicast" : nil, address.isLinkLocal ? "link-local" : nil,
            ].compactMap(\.self).joined(separator: " ")
            #expect(found == expected, "\(text)")
        }
        for prefix in ["", "::ffff:"] {
            try check(prefix + "0.0.0.0", "unspecified")
            try check(prefix + "0.0.0.1", "")
            try check(prefix + "127.0.0.1", "loopback")
            try check(prefix + "127.255.255.255", "loopback")
            try check(prefix + "128.0.0.1", "")
            try check(prefix + "223.255.255.255", "")
            try check(prefix + "224.0.0.1", "multicast")
            try check(prefix + "239.255.255.255", "multicast")
            try check(prefix + "240.0.0.0", "")
            try check(prefix + "169.254.1.1", "link-local")
            try check(prefix + "169.255.1.1", "")
        }
        try check("::", "unspecified")
        try check("::1", "loopback")
        try check("::2", "")
        try check("::7f00:1", "")
        try check("ff02::1", "multicast")
        try check("fe80::1", "link-local")
        try check("febf::1", "link-local")
        try check("fec0::1", "")
        try check("fe7f::1", "")
    }

    @Test("an IPv4-mapped address stands for its IPv4 address")
    func mapped() throws {
        let ipv4 = IPv4Address(192, 0, 2, 1)
        let mapped = IPv6Address(mapping: ipv4)
        #expect(mapped.mappedIPv4 == ipv4)
        #expect(IPAddress.v6(mapped).unmapped == .v4(ipv4))
        #expect(IPAddress.v6(.loopback).unmapped == .v6(.loopback))
        #expect(try IPv6Address("::fffe:1.2.3.4").mappedIPv4 == nil)
        #expect(try IPv6Address("1::ffff:1.2.3.4").mappedIPv4 == nil)
    }
}

/// The address's bytes as inet_pton(3) gives them.
private func cLibrary(_ family: Int32, _ text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: family == AF_INET ? 4 : 16)
    return inet_pton(family, text, &bytes) == 1 ? bytes : nil
}

private func cLibraryText(_ value: UInt128) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    var bytes = value.bigEndian
    let result = inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count))
    return result.map { String(cString: $0) } ?? ""
}

extension Array where Element: BitwiseCopyable {
    fileprivate var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}
