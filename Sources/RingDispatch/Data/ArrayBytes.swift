/// Keeps an array whose bytes a region is over.
final class ArrayBytes: Sendable {
    let array: [UInt8]

    private init(_ array: [UInt8]) {
        self.array = array
    }

    /// A region over the array's own memory; nil when it has no bytes.
    static func region(_ array: [UInt8]) -> DataRegion? {
        guard !array.isEmpty else { return nil }
        let owner = ArrayBytes(array)
        return owner.array.withUnsafeBytes { bytes in
            // Safety: the elements of an array lie in one heap object, which stays unchanged and
            // where it is while `owner`, a constant, holds it: whoever changes another copy of the
            // array changes it elsewhere.
            DataRegion(owner: owner, start: bytes.baseAddress!, count: bytes.count)
        }
    }
}
