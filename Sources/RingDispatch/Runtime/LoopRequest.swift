/// An action that only the loop's holder can perform, requested by another thread.
enum LoopRequest: @unchecked Sendable {
    // Safety: the request transfers its payload to the loop.
    // Carries a reference to the source.
    case register(Unmanaged<DescriptorSource>)
    /// Ends a registration, forgets the descriptor, then wakes the source.
    case retire(DescriptorSource)
    case start(LoopOperation)
    case cancel(LoopOperation)
    /// Carries a reference to the stream.
    case beginStream(Unmanaged<LoopStream>)
    case endStream(LoopStream)
    case giveBack(ReceiveBufferPointer)
}
