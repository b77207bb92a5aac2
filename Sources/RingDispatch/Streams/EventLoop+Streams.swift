internal import LinuxPlatform

// The calls that streams make on their loop. Only for its holder.
extension EventLoop {
    func receive(descriptor: Int32, isUnix: Bool, token: UInt64) {
        makeReceiveBuffers()
        withStream { $0.receive(descriptor: descriptor, isUnix: isUnix, token: token) }
    }

    func accept(descriptor: Int32, token: UInt64) {
        withStream { $0.accept(descriptor: descriptor, token: token) }
    }

    func cancelStream(descriptor: Int32, _ stream: LoopStream) {
        let token = CompletionToken.stream(Unmanaged.passUnretained(stream))
        noteUnsubmitted()
        withBackend { $0.cancelStream(descriptor: descriptor, token: token) }
    }

    private func withStream(_ body: (IOBackend) -> Void) {
        noteRegistrationBegun()
        noteUnsubmitted()
        withBackend(body)
    }

    // MARK: receive buffers

    /// Lives as long as the loop. Allocated before the first stream begins: only code of a stream
    /// may use it.
    private var receiveBuffers: UnsafeMutablePointer<ReceiveBufferPool> {
        @inline(__always) get { owned.pointee.receiveBuffers.unsafelyUnwrapped }
    }

    private func makeReceiveBuffers() {
        guard owned.pointee.receiveBuffers == nil else { return }
        let pool = UnsafeMutablePointer<ReceiveBufferPool>.allocate(capacity: 1)
        pool.initialize(to: ReceiveBufferPool(withBackend { $0.receiveBuffers }, of: self))
        owned.pointee.receiveBuffers = pool
    }

    var mostBuffersPerStream: UInt32 {
        @inline(__always) get { receiveBuffers.pointee.mostPerStream }
    }

    /// Takes a buffer that the back end has filled with `count` bytes.
    @inline(__always)
    func takeReceiveBuffer(_ number: UInt16, count: Int32) -> ReceiveBufferPointer {
        let receiveBuffer = receiveBuffers.pointee.take(number)
        receiveBuffer.pointee.count = count
        return receiveBuffers.pointee.isLow ? copyOut(receiveBuffer) : receiveBuffer
    }

    /// Gives the back end more buffers, or copies the bytes and gives this one back at once.
    @inline(never)
    private func copyOut(_ receiveBuffer: ReceiveBufferPointer) -> ReceiveBufferPointer {
        if provideMoreBuffers() { return receiveBuffer }
        let copy = ReceiveBufferPointer.copy(of: receiveBuffer)
        giveBack(receiveBuffer)
        return copy
    }

    /// Returns false if the back end has all of them already.
    private func provideMoreBuffers() -> Bool {
        let more = receiveBuffers.pointee.provideMore()
        for number in more { withBackend { $0.giveBack(buffer: number) } }
        return !more.isEmpty
    }

    @inline(__always)
    func giveBack(_ receiveBuffer: ReceiveBufferPointer) {
        guard let number = receiveBuffer.pointee.number else { return receiveBuffer.free() }
        if receiveBuffers.pointee.giveBack(number) { withBackend { $0.giveBack(buffer: number) } }
    }

    // MARK: streams without a receive buffer

    /// The back end had filled all its buffers before the loop could give any back.
    func waitForReceiveBuffer(_ stream: Unmanaged<LoopStream>) {
        _ = provideMoreBuffers()
        noteUnsubmitted()
        receiveBuffers.pointee.wait(stream)
    }

    /// The loop does not sleep while any stream is starved. A stream that begins again may have no
    /// bytes; then no buffer comes back that another stream could wait for.
    @inline(__always)
    var hasStarvedStreams: Bool { owned.pointee.receiveBuffers?.pointee.hasStarved ?? false }

    /// - Parameter isIdle: the loop has handled all completions; then some streams begin even if no
    ///   buffer has come back.
    @inline(never)
    func beginStarvedStreams(isIdle: Bool, _ context: Context) {
        let (buffers, streams) = receiveBuffers.pointee.takeStarved(isIdle: isIdle)
        for number in buffers { withBackend { $0.giveBack(buffer: number) } }
        for stream in streams { LoopStream.endWait(stream, context) }
    }
}
