internal import LinuxPlatform

/// Frees the user's memory when the last region over it is gone.
final class ForeignBytes {
    private let bytes: UnsafeRawBufferPointer
    private let deallocator: DispatchData.Deallocator

    init(_ bytes: UnsafeRawBufferPointer, _ deallocator: DispatchData.Deallocator) {
        self.bytes = bytes
        self.deallocator = deallocator
    }

    deinit { deallocator.deallocate(bytes) }
}

extension DispatchData.Deallocator {
    func deallocate(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .free:
            Memory.free(bytes.baseAddress)
        case .unmap:
            guard !bytes.isEmpty else { return }
            do {
                try Memory.unmap(bytes)
            } catch {
                fatalMisuse(
                    "DispatchData: the deallocator .unmap failed for \(bytes.count) bytes: "
                        + "\(error)")
            }
        case .custom(let queue, let block):
            // Safety: called once, after the last use of the memory that it frees.
            (queue ?? .global()).asyncUnsafe(execute: block)
        }
    }
}
