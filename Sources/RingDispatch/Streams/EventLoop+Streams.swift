internal import LinuxPlatform

// What streams ask of their loop. Under the state word.
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

    /// Lives as long as the loop. Only for what a stream caused: it is made before a stream begins.
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

    /// A buffer that the kernel has filled with so many bytes.
    @inline(__always)
    func takeReceiveBuffer(_ number: UInt16, count: Int32) -> ReceiveBufferPointer {
        let receiveBuffer = receiveBuffers.pointee.take(number)
        receiveBuffer.pointee.count = count
        return receiveBuffers.pointee.isLow ? copyOut(receiveBuffer) : receiveBuffer
    }

    /// The kernel gets more buffers, or this one back at once.
    @inline(never)
    private func copyOut(_ receiveBuffer: ReceiveBufferPointer) -> ReceiveBufferPointer {
        if provideMoreBuffers() { return receiveBuffer }
        let copy = ReceiveBufferPointer.copy(of: receiveBuffer)
        giveBack(receiveBuffer)
        return copy
    }

    /// False when the kernel has been given them all.
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

    // MARK: streams for which there was none

    /// The kernel had filled all its buffers before the loop could give any back.
    func waitForReceiveBuffer(_ stream: Unmanaged<LoopStream>) {
        _ = provideMoreBuffers()
        noteUnsubmitted()
        receiveBuffers.pointee.wait(stream)
    }

    /// While there are, the loop does not sleep: one that begins again may have no bytes, and then
    /// no buffer comes back that another one could wait for.
    @inline(__always)
    var hasStarvedStreams: Bool { owned.pointee.receiveBuffers?.pointee.hasStarved ?? false }

    /// - Parameter isIdle: the loop has handled all that came; then some begin.
    @inline(never)
    func beginStarvedStreams(isIdle: Bool, _ context: Context) {
        let (buffers, streams) = receiveBuffers.pointee.takeStarved(isIdle: isIdle)
        for number in buffers { withBackend { $0.giveBack(buffer: number) } }
        for stream in streams { LoopStream.endWait(stream, context) }
    }
}
