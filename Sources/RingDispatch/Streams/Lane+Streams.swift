internal import Ring

// What streams ask of their lane. Under the lease.
extension Lane {
    func receive(descriptor: Int32, isUnix: Bool, token: UInt64) {
        makeChunks()
        withStream { $0.receive(descriptor: descriptor, isUnix: isUnix, token: token) }
    }

    func accept(descriptor: Int32, token: UInt64) {
        withStream { $0.accept(descriptor: descriptor, token: token) }
    }

    func cancelStream(descriptor: Int32, _ stream: LaneStream) {
        let token = CompletionToken.stream(Unmanaged.passUnretained(stream))
        noteUnsubmitted()
        withKernel { $0.cancelStream(descriptor: descriptor, token: token) }
    }

    private func withStream(_ body: (Kernel) -> Void) {
        noteWatchBegun()
        noteUnsubmitted()
        withKernel(body)
    }

    // MARK: chunks

    /// Lives as long as the lane. Only for what a stream caused: it is made before a stream begins.
    private var chunks: UnsafeMutablePointer<ChunkPool> {
        @inline(__always) get { owned.pointee.chunks.unsafelyUnwrapped }
    }

    private func makeChunks() {
        guard owned.pointee.chunks == nil else { return }
        let pool = UnsafeMutablePointer<ChunkPool>.allocate(capacity: 1)
        pool.initialize(to: ChunkPool(withKernel { $0.receiveBuffers }, of: self))
        owned.pointee.chunks = pool
    }

    var mostChunksPerStream: UInt32 {
        @inline(__always) get { chunks.pointee.mostPerStream }
    }

    /// A buffer that the kernel has filled with so many bytes.
    @inline(__always)
    func takeChunk(_ number: UInt16, count: Int32) -> ChunkPointer {
        let chunk = chunks.pointee.take(number)
        chunk.pointee.count = count
        return chunks.pointee.mustSpare ? spare(chunk) : chunk
    }

    /// The kernel gets more buffers, or this one back at once.
    @inline(never)
    private func spare(_ chunk: ChunkPointer) -> ChunkPointer {
        if provideMoreChunks() { return chunk }
        let copy = ChunkPointer.copy(of: chunk)
        giveBack(chunk)
        return copy
    }

    /// False when the kernel has been given them all.
    private func provideMoreChunks() -> Bool {
        let more = chunks.pointee.provideMore()
        for number in more { withKernel { $0.giveBack(buffer: number) } }
        return !more.isEmpty
    }

    @inline(__always)
    func giveBack(_ chunk: ChunkPointer) {
        guard let number = chunk.pointee.number else { return chunk.free() }
        if chunks.pointee.giveBack(number) { withKernel { $0.giveBack(buffer: number) } }
    }

    // MARK: streams for which there was none

    /// The kernel had filled all its buffers before the lane could give any back.
    func waitForChunk(_ stream: Unmanaged<LaneStream>) {
        _ = provideMoreChunks()
        noteUnsubmitted()
        chunks.pointee.wait(stream)
    }

    /// While there are, the lane does not sleep: one that begins again may have no bytes, and then
    /// no buffer comes back that another one could wait for.
    @inline(__always)
    var hasStarvedStreams: Bool { owned.pointee.chunks?.pointee.hasStarved ?? false }

    /// - Parameter isIdle: the lane has handled all that came; then some begin.
    @inline(never)
    func beginStarvedStreams(isIdle: Bool, _ context: Context) {
        let (buffers, streams) = chunks.pointee.takeStarved(isIdle: isIdle)
        for number in buffers { withKernel { $0.giveBack(buffer: number) } }
        for stream in streams { LaneStream.endWait(stream, context) }
    }
}
