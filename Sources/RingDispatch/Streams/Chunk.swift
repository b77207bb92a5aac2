internal import Ring

/// Bytes that a lane's kernel received for a stream, and the job by which they reach the stream's
/// queue: in a buffer of the lane, so that nothing is allocated for them, or in memory of its own.
struct Chunk {
    /// First, so that a job's address is its chunk's; see `JobPointer.chunk`.
    var job = Job(next: nil, object: nil, kind: .chunk, band: Band.default)
    let lane: Lane
    /// The buffer's; nil: it has memory of its own.
    let number: UInt16?
    var count: Int32 = 0
    let start: UnsafeMutableRawPointer

    @inline(__always)
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: Int(count))
    }
}

typealias ChunkPointer = UnsafeMutablePointer<Chunk>

extension ChunkPointer {
    @inline(__always)
    var job: JobPointer {
        // Safety: `job` is a chunk's first field.
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Job.self)
    }

    /// A chunk with the same bytes in memory of its own.
    static func copy(of chunk: ChunkPointer) -> ChunkPointer {
        let bytes = chunk.pointee.bytes
        let header = MemoryLayout<Chunk>.stride
        // Safety: room for the chunk and behind it for the bytes; see `free`.
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: header + bytes.count, alignment: MemoryLayout<Chunk>.alignment)
        let start = memory + header
        start.copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
        let copy = memory.initializeMemory(
            as: Chunk.self,
            to: Chunk(
                lane: chunk.pointee.lane, number: nil, count: chunk.pointee.count, start: start))
        return copy
    }

    /// Ends one that `copy` made.
    func free() {
        deinitialize(count: 1)
        UnsafeMutableRawPointer(self).deallocate()
    }
}

extension JobPointer {
    /// The chunk that the job begins. Only for jobs of kind `chunk`.
    @inline(__always)
    var chunk: ChunkPointer {
        // Safety: `job` is a chunk's first field.
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Chunk.self)
    }
}
