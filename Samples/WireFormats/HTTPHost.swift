/// The value of a Host field: a host, perhaps with a port. RFC 9112, 3.2; RFC 3986, 3.2.2.
struct HTTPHost {
    /// In lower case, without brackets and port. May be empty.
    let name: String

    /// Nil unless it is an address or a name, with a decimal port. User names and future kinds of
    /// addresses (`[v1.x]`) are refused.
    init?(_ value: ArraySlice<UInt8>) {
        var rest = value
        let name: ArraySlice<UInt8>
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            name = rest[..<end].dropFirst()
            guard !name.isEmpty, name.allSatisfy(Self.isOfIPv6) else { return nil }
            rest = rest[(end + 1)...]
        } else {
            name = rest.prefix { $0 != UInt8(ascii: ":") }
            guard Self.isName(name) else { return nil }
            rest = rest[name.endIndex...]
        }
        guard rest.isEmpty || rest.first == UInt8(ascii: ":"),
            rest.dropFirst().allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        self.name = String(decoding: name, as: UTF8.self).lowercased()
    }

    private static func isOfIPv6(_ byte: UInt8) -> Bool {
        isHexadecimal(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        HTTPHead.isLetterOrDigit(byte) && byte | 0x20 <= UInt8(ascii: "f")
    }

    private static let nameMarks = Array("-._~!$&'()*+,;=".utf8)

    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2, rest.prefix(2).allSatisfy(isHexadecimal) else {
                    return false
                }
                rest = rest.dropFirst(2)
            } else if !HTTPHead.isLetterOrDigit(byte) && !nameMarks.contains(byte) {
                return false
            }
        }
        return true
    }
}
