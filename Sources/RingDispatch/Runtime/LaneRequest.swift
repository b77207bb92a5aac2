/// What only the lane itself can do, asked for by others.
enum LaneRequest: @unchecked Sendable {
    // Safety: what a request names is handed over with it.
    /// With a reference to the source.
    case watch(Unmanaged<DescriptorSource>)
    /// Ends a watch that is out, forgets the descriptor, then tells the source.
    case retire(DescriptorSource)
    case start(LaneOperation)
    case cancel(LaneOperation)
    /// With a reference to the stream.
    case beginStream(Unmanaged<LaneStream>)
    case endStream(LaneStream)
    case giveBack(ChunkPointer)
}
