/// Owns an array whose bytes a region refers to.
final class ArrayBytes: Sendable {
    let array: [UInt8]

    private init(_ array: [UInt8]) {
        self.array = array
    }

    /// A region over the array's own memory; nil if the array is empty.
    static func region(_ array: [UInt8]) -> DataRegion? {
        guard !array.isEmpty else { return nil }
        let owner = ArrayBytes(array)
        return owner.array.withUnsafeBytes { bytes in
            // Safety: an array's elements lie in one heap object, which neither moves nor changes
            // while `owner`, a constant, retains it: writing to another copy of the array copies it
            // first.
            DataRegion(owner: owner, start: bytes.baseAddress!, count: bytes.count)
        }
    }
}
