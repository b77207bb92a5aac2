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
#endif
