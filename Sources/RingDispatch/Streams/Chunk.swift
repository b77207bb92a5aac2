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

/// A lane's chunks, one for each of its kernel's receive buffers, and the streams that wait for
/// some. The lane's own.
///
/// Handlers may hold as many buffers as they like, for as long as they block: the kernel keeps a
/// reserve, so that other streams go on. What comes when only the reserve is left is copied.
struct ChunkPool {
    private let chunks: UnsafeMutablePointer<Chunk>
    private let count: Int
    /// Buffers that the kernel has been given so far: the first ones.
    private var provided: Int
    /// Buffers that nobody uses: the kernel's, and those in `kept`.
    private var free: Int
    /// From so few on they are spared; at least one, so that some are free after each completion.
    private var reserve: Int
    /// Buffers that came back while streams waited.
    private var kept: [UInt16] = []
    /// Streams for which the kernel found no buffer, each with a reference, the first one first.
    private var starved: [Unmanaged<LaneStream>] = []

    init(_ buffers: ReceiveBuffers, of lane: Lane) {
        count = buffers.count
        provided = buffers.initialCount
        free = provided
        reserve = ChunkPool.reserve(of: provided)
        chunks = .allocate(capacity: count)
        for index in 0..<count {
            let number = UInt16(index)
            (chunks + index).initialize(
                to: Chunk(lane: lane, number: number, start: buffers[number]))
        }
    }

    private static func reserve(of provided: Int) -> Int { max(1, provided / 8) }

    /// A stream may have so many chunks that its handler has not seen.
    var mostPerStream: UInt32 {
        @inline(__always) get { free > reserve ? 16 : 2 }
    }

    /// The kernel has filled a buffer.
    @inline(__always)
    mutating func take(_ number: UInt16) -> ChunkPointer {
        free &-= 1
        return chunks + Int(number)
    }

    var mustSpare: Bool {
        @inline(__always) get { free < reserve }
    }

    /// As many more buffers as the kernel has, if there are, which the caller is to give it.
    mutating func provideMore() -> Range<UInt16> {
        let more = UInt16(provided)..<UInt16(min(count, provided * 2))
        provided += more.count
        free += more.count
        reserve = ChunkPool.reserve(of: provided)
        return more
    }

    /// A buffer has come back; whether the kernel is to have it now. While streams wait it would
    /// go to those that do not, whose next bytes are here first.
    @inline(__always)
    mutating func giveBack(_ number: UInt16) -> Bool {
        free &+= 1
        guard hasStarved else { return true }
        kept.append(number)
        return false
    }

    // MARK: streams that wait

    var hasStarved: Bool { !starved.isEmpty }

    mutating func wait(_ stream: Unmanaged<LaneStream>) { starved.append(stream) }

    /// - Parameter isIdle: the kernel has filled no buffer that the lane does not know of.
    /// - Returns: buffers to give the kernel, and then streams to begin: as many as find some.
    mutating func takeStarved(
        isIdle: Bool
    ) -> (buffers: [UInt16], streams: [Unmanaged<LaneStream>]) {
        let first = starved.prefix(isIdle ? free : kept.count)
        starved.removeFirst(first.count)
        defer { kept = [] }
        return (kept, Array(first))
    }
}
