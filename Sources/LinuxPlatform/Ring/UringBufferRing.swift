internal import CLinux
internal import Glibc

/// The receive buffers of a ring, and the list from which the kernel takes them
/// (io_uring_register_buf_ring(3)).
struct UringBufferRing {
    let buffers: ReceiveBuffers
    private let list: UnsafeMutablePointer<io_uring_buf_ring>
    private let mask: Int32

    /// The only group of buffers.
    static let group: UInt16 = 0

    init(of ring: UnsafeMutablePointer<io_uring>, count: Int) throws(SystemError) {
        buffers = ReceiveBuffers(count: count)
        let memory = PageMemory.allocate(count * MemoryLayout<io_uring_buf>.stride)
        list = memory.assumingMemoryBound(to: io_uring_buf_ring.self)
        mask = io_uring_buf_ring_mask(UInt32(count))
        var registration = io_uring_buf_reg()
        registration.ring_addr = UInt64(UInt(bitPattern: memory))
        registration.ring_entries = UInt32(count)
        registration.bgid = UringBufferRing.group
        let result = io_uring_register_buf_ring(ring, &registration, 0)
        guard result == 0 else {
            free()
            throw SystemError(
                call: "io_uring_register", code: -result, remedy: UringProbe.remedy(code: -result))
        }
        io_uring_buf_ring_init(list)
        for number in 0..<buffers.initialCount { giveBack(UInt16(number)) }
    }

    @inline(__always)
    func giveBack(_ number: UInt16) {
        io_uring_buf_ring_add(
            list, buffers[number], UInt32(ReceiveBuffers.size), number, mask, 0)
        io_uring_buf_ring_advance(list, 1)
    }

    /// Call it after the ring is closed.
    func free() {
        PageMemory.free(list, buffers.count * MemoryLayout<io_uring_buf>.stride)
        buffers.free()
    }
}
