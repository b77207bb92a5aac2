internal import LinuxPlatform

/// Bytes that a loop's kernel received for a stream, and the work item by which they reach the stream's
/// queue: in a buffer of the loop, so that nothing is allocated for them, or in memory of its own.
struct ReceiveBuffer {
    /// First, so that a work item's address is its receive buffer's; see `WorkItemPointer.chunk`.
    var workItem = WorkItem(
        next: nil, object: nil, kind: .receiveBuffer, priority: Priority.default)
    let loop: EventLoop
    /// The buffer's; nil: it has memory of its own.
    let number: UInt16?
    var count: Int32 = 0
    let start: UnsafeMutableRawPointer

    @inline(__always)
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: Int(count))
    }
}

typealias ReceiveBufferPointer = UnsafeMutablePointer<ReceiveBuffer>

extension ReceiveBufferPointer {
    @inline(__always)
    var workItem: WorkItemPointer {
        // Safety: `workItem` is a receive buffer's first field.
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: WorkItem.self)
    }

    /// A receive buffer with the same bytes in memory of its own.
    static func copy(of receiveBuffer: ReceiveBufferPointer) -> ReceiveBufferPointer {
        let bytes = receiveBuffer.pointee.bytes
        let header = MemoryLayout<ReceiveBuffer>.stride
        // Safety: room for the receive buffer and behind it for the bytes; see `free`.
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: header + bytes.count, alignment: MemoryLayout<ReceiveBuffer>.alignment)
        let start = memory + header
        start.copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
        let copy = memory.initializeMemory(
            as: ReceiveBuffer.self,
            to: ReceiveBuffer(
                loop: receiveBuffer.pointee.loop, number: nil, count: receiveBuffer.pointee.count,
                start: start))
        return copy
    }

    /// Ends one that `copy` made.
    func free() {
        deinitialize(count: 1)
        UnsafeMutableRawPointer(self).deallocate()
    }
}

extension WorkItemPointer {
    /// The receive buffer that the work item begins. Only for work items of kind `chunk`.
    @inline(__always)
    var receiveBuffer: ReceiveBufferPointer {
        // Safety: `workItem` is a receive buffer's first field.
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: ReceiveBuffer.self)
    }
}
