internal import LinuxPlatform

/// The token that a back end returns with each completion: the address of an object, with its kind
/// in the low bits. 0 stands for no object. A reference, which the completion consumes, keeps the
/// object alive.
enum CompletionToken {
    private static let kindMask: UInt64 = 7
    private static let operation: UInt64 = 1
    private static let stream: UInt64 = 2

    @inline(__always)
    static func registration(_ source: Unmanaged<DescriptorSource>) -> UInt64 {
        UInt64(UInt(bitPattern: source.toOpaque()))
    }

    static func operation(_ operation: Unmanaged<LoopOperation>) -> UInt64 {
        UInt64(UInt(bitPattern: operation.toOpaque())) | self.operation
    }

    static func stream(_ stream: Unmanaged<LoopStream>) -> UInt64 {
        UInt64(UInt(bitPattern: stream.toOpaque())) | self.stream
    }

    /// Passes the completion to the object of its registration or operation.
    @inline(__always)
    static func deliver(_ completion: Completion, from loop: EventLoop, _ context: Context) {
        let address = UInt(completion.token & ~kindMask)
        guard let memory = UnsafeRawPointer(bitPattern: address) else { return }
        switch completion.token & kindMask {
        case stream:
            LoopStream.completed(.fromOpaque(memory), completion, context)
        case operation:
            LoopOperation.completed(
                .fromOpaque(memory), result: completion.result, from: loop, context)
        default:
            loop.noteRegistrationEnded()
            DescriptorSource.completed(.fromOpaque(memory), result: completion.result, context)
        }
    }
}
