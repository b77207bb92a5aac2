internal import LinuxPlatform

/// Bytes received for a stream, and the work item that carries them to the stream's queue. The
/// bytes are in a buffer of the loop, which avoids an allocation, or in memory of their own.
struct ReceiveBuffer {
    /// First, so that the work item and the receive buffer have the same address; see
    /// `WorkItemPointer.receiveBuffer`.
    var workItem = WorkItem(
        next: nil, object: nil, kind: .receiveBuffer, priority: Priority.default)
    let loop: EventLoop
    /// The loop's number for the buffer; nil: it has memory of its own.
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

    /// A copy of the bytes, in a receive buffer with memory of its own.
    static func copy(of receiveBuffer: ReceiveBufferPointer) -> ReceiveBufferPointer {
        let bytes = receiveBuffer.pointee.bytes
        let header = MemoryLayout<ReceiveBuffer>.stride
        // Safety: one allocation for the header and the bytes behind it; see `free`.
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

    /// Frees a buffer that `copy` made.
    func free() {
        deinitialize(count: 1)
        UnsafeMutableRawPointer(self).deallocate()
    }
}

extension WorkItemPointer {
    /// The receive buffer that starts with this work item. Only for kind `receiveBuffer`.
    @inline(__always)
    var receiveBuffer: ReceiveBufferPointer {
        // Safety: `workItem` is a receive buffer's first field.
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: ReceiveBuffer.self)
    }
}
