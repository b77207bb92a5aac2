#if TLS
/// A list of application protocols in wire format: each name follows a length byte (RFC 7301,
/// section 3.1).
enum ProtocolList {
    /// The range in `offers` of the first entry of `own` that `offers` contains.
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

    /// The ranges of the names. A truncated last name is skipped.
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
#endif
