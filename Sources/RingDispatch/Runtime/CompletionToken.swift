internal import LinuxPlatform

/// What a loop's kernel gives back with each completion: an object's address, and in its low bits
/// which kind of object. 0 stands for none. The object is kept alive by a reference that the
/// completion hands over.
enum CompletionToken {
    private static let kindMask: UInt64 = 7
    private static let operation: UInt64 = 1
    private static let stream: UInt64 = 2

    @inline(__always)
    static func watch(_ source: Unmanaged<DescriptorSource>) -> UInt64 {
        UInt64(UInt(bitPattern: source.toOpaque()))
    }

    static func operation(_ operation: Unmanaged<LoopOperation>) -> UInt64 {
        UInt64(UInt(bitPattern: operation.toOpaque())) | self.operation
    }

    static func stream(_ stream: Unmanaged<LoopStream>) -> UInt64 {
        UInt64(UInt(bitPattern: stream.toOpaque())) | self.stream
    }

    /// Tells the object whose watch or operation has ended.
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
