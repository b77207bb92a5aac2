internal import Ring

// What streams ask of their lane. Under the lease.
extension Lane {
    func receive(descriptor: Int32, isUnix: Bool, token: UInt64) {
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

    /// Lives as long as the lane. Only for what a stream caused: before a stream it is made.
    private var chunks: UnsafeMutablePointer<ChunkPool> {
        @inline(__always) get { owned.pointee.chunks.unsafelyUnwrapped }
    }

    private func makeChunks() {
        guard owned.pointee.chunks == nil else { return }
        let pool = UnsafeMutablePointer<ChunkPool>.allocate(capacity: 1)
        pool.initialize(to: ChunkPool(withKernel { $0.receiveBuffers }, of: self))
        owned.pointee.chunks = pool
    }

    /// Whether the kernel has a buffer left. Before a stream begins.
    var hasFreeChunk: Bool {
        makeChunks()
        if chunks.pointee.free == 0 { provideMoreChunks() }
        return chunks.pointee.free > 0
    }

    var mostChunksPerStream: UInt32 {
        @inline(__always) get { chunks.pointee.mostPerStream }
    }

    @inline(__always)
    func takeChunk(_ number: UInt16) -> ChunkPointer {
        chunks.pointee.take(number)
    }

    /// The kernel has run out of buffers, though it may have been given a part of them only.
    func provideMoreChunks() {
        for number in chunks.pointee.provideMore() { withKernel { $0.giveBack(buffer: number) } }
    }

    func waitForChunk(_ stream: Unmanaged<LaneStream>) {
        chunks.pointee.wait(stream)
    }

    func removeStarved(_ stream: LaneStream) -> Unmanaged<LaneStream>? {
        owned.pointee.chunks?.pointee.removeWaiting(stream)
    }

    @inline(__always)
    func giveBack(_ chunk: ChunkPointer, _ context: Context) {
        withKernel { $0.giveBack(buffer: chunk.pointee.number) }
        if let starved = chunks.pointee.noteGivenBack() {
            LaneStream.begin(starved, context)
        }
    }
}
