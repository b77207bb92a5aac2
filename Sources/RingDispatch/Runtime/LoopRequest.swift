/// What only the loop itself can do, asked for by others.
enum LoopRequest: @unchecked Sendable {
    // Safety: what a request names is handed over with it.
    /// With a reference to the source.
    case watch(Unmanaged<DescriptorSource>)
    /// Ends a watch that is out, forgets the descriptor, then tells the source.
    case retire(DescriptorSource)
    case start(LoopOperation)
    case cancel(LoopOperation)
    /// With a reference to the stream.
    case beginStream(Unmanaged<LoopStream>)
    case endStream(LoopStream)
    case giveBack(ReceiveBufferPointer)
}
