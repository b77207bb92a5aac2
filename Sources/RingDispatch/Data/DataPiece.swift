/// A region after a value's first one, with its offset.
struct DataPiece: Sendable {
    var region: DataRegion
    /// The index of the region's first byte in the value.
    let offset: Int
}
