/// Iterates over the bytes of a `DispatchData`, and retains it.
public struct DispatchDataIterator: IteratorProtocol, Sequence, Sendable {
    // Safety: `data` retains the memory that the pointers refer to, which never changes.
    @usableFromInline let data: DispatchData
    @usableFromInline var nextRegion: Int
    @usableFromInline nonisolated(unsafe) var position: UnsafeRawPointer
    @usableFromInline nonisolated(unsafe) var end: UnsafeRawPointer

    /// Starts at the first byte.
    @inlinable
    public init(_data: DispatchData) {
        data = _data
        nextRegion = 1
        position = _data.first.start
        end = position + _data.first.count
    }

    /// The next byte; nil at the end and ever after.
    @inlinable
    public mutating func next() -> UInt8? {
        if position == end {
            guard let bytes = data.regionBytes(nextRegion), let start = bytes.baseAddress else {
                return nil
            }
            nextRegion += 1
            position = start
            end = start + bytes.count
        }
        let byte = withExtendedLifetime(data) { position.load(as: UInt8.self) }
        position += 1
        return byte
    }
}
