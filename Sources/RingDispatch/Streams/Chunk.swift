internal import Ring

/// Bytes that a lane's kernel received for a stream, in a buffer of the lane, and the job by which
/// they reach the stream's queue: nothing is allocated for them.
struct Chunk {
    /// First, so that a job's address is its chunk's; see `JobPointer.chunk`.
    var job = Job(next: nil, object: nil, kind: .chunk, band: Band.default)
    let lane: Lane
    let number: UInt16
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
/// one. The lane's own.
struct ChunkPool {
    private let chunks: UnsafeMutablePointer<Chunk>
    private let count: Int
    /// Buffers that the kernel has been given so far: the first ones.
    private var provided: Int
    /// Buffers that the kernel may fill.
    private(set) var free: Int
    /// Streams that ended because there was no buffer, each with a reference.
    private var starved: [Unmanaged<LaneStream>] = []

    init(_ buffers: ReceiveBuffers, of lane: Lane) {
        count = buffers.count
        provided = buffers.initialCount
        free = provided
        chunks = .allocate(capacity: count)
        for index in 0..<count {
            let number = UInt16(index)
            (chunks + index).initialize(
                to: Chunk(lane: lane, number: number, start: buffers[number]))
        }
    }

    /// A stream may have so many chunks that its handler has not seen.
    var mostPerStream: UInt32 { UInt32(min(ChunkPool.mostUnhandled, max(1, count / 2))) }
    private static let mostUnhandled = 16

    @inline(__always)
    mutating func take(_ number: UInt16) -> ChunkPointer {
        free &-= 1
        return chunks + Int(number)
    }

    /// As many more buffers as the kernel has, if there are, which the caller is to give it.
    mutating func provideMore() -> Range<UInt16> {
        let more = UInt16(provided)..<UInt16(min(count, provided * 2))
        provided += more.count
        free += more.count
        return more
    }

    /// A buffer has come back. Returns a stream that waited for it.
    @inline(__always)
    mutating func noteGivenBack() -> Unmanaged<LaneStream>? {
        free &+= 1
        return starved.isEmpty ? nil : starved.removeFirst()
    }

    mutating func wait(_ stream: Unmanaged<LaneStream>) { starved.append(stream) }

    /// The stream waits no more; its reference, if it did.
    mutating func removeWaiting(_ stream: LaneStream) -> Unmanaged<LaneStream>? {
        guard
            let index = starved.firstIndex(where: {
                $0.toOpaque() == Unmanaged.passUnretained(stream).toOpaque()
            })
        else { return nil }
        return starved.remove(at: index)
    }
}
