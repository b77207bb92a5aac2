#if TLS
/// A list of application protocols as the wire has it: each with a byte for its length before it
/// (RFC 7301, section 3.1).
enum ProtocolList {
    /// Where in `offers` the first entry of `own` is that is there at all.
    static func firstMatch(
        of own: some RandomAccessCollection<UInt8>, in offers: UnsafeBufferPointer<UInt8>
    ) -> Range<Int>? {
        let offered = entries(offers)
        for entry in entries(own) {
            let name = own[entry]
            if let match = offered.first(where: { offers[$0].elementsEqual(name) }) {
                return match
            }
        }
        return nil
    }

    /// The places of the names; what is cut off is left out.
    private static func entries<List: RandomAccessCollection<UInt8>>(
        _ list: List
    ) -> [Range<List.Index>] {
        var entries: [Range<List.Index>] = []
        var start = list.startIndex
        while start < list.endIndex {
            let name = list.index(after: start)
            guard let end = list.index(name, offsetBy: Int(list[start]), limitedBy: list.endIndex)
            else { break }
            entries.append(name..<end)
            start = end
        }
        return entries
    }
}

/// The extension in which a client names the server (RFC 6066, section 3).
enum ServerNameExtension {
    /// The host name in it; nil when it has none or is broken, which OpenSSL finds out later.
    static func name(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        // Two bytes for the list's length, one for the kind (0: host name), two for the name's.
        guard bytes.count >= 5, bytes[2] == 0 else { return nil }
        let count = Int(bytes[3]) << 8 | Int(bytes[4])
        guard count > 0, count <= 255, 5 + count <= bytes.count else { return nil }
        let name = bytes[5..<5 + count]
        guard name.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
        return TLSServerNames.normalized(String(decoding: name, as: UTF8.self))
    }
}
#endif
