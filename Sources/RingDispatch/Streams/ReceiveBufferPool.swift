internal import LinuxPlatform

/// The receive buffers of a loop, one for each buffer of its back end, and the streams that wait
/// for one. Only the loop's holder touches it.
///
/// Handlers may keep any number of buffers while they block. The pool keeps a reserve, so that
/// other streams go on: once only the reserve is left, bytes are copied.
struct ReceiveBufferPool {
    private let receiveBuffers: UnsafeMutablePointer<ReceiveBuffer>
    private let count: Int
    /// Number of buffers given to the back end so far: the first ones.
    private var provided: Int
    /// Number of unused buffers: those in the back end, and those in `kept`.
    private var free: Int
    /// With fewer free buffers than this, bytes are copied. At least one, so that a buffer is free
    /// after each completion.
    private var reserve: Int
    /// Buffers that were given back while streams waited.
    private var kept: [UInt16] = []
    /// Streams for which the back end had no buffer, each with a reference, oldest first.
    private var starved: [Unmanaged<LoopStream>] = []

    init(_ buffers: ReceiveBuffers, of loop: EventLoop) {
        count = buffers.count
        provided = buffers.initialCount
        free = provided
        reserve = ReceiveBufferPool.reserve(of: provided)
        receiveBuffers = .allocate(capacity: count)
        for index in 0..<count {
            let number = UInt16(index)
            (receiveBuffers + index).initialize(
                to: ReceiveBuffer(loop: loop, number: number, start: buffers[number]))
        }
    }

    private static func reserve(of provided: Int) -> Int { max(1, provided / 8) }

    /// Most receive buffers of one stream that its handler has not processed.
    var mostPerStream: UInt32 {
        @inline(__always) get { free > reserve ? 16 : 2 }
    }

    /// The back end has filled a buffer.
    @inline(__always)
    mutating func take(_ number: UInt16) -> ReceiveBufferPointer {
        free &-= 1
        return receiveBuffers + Int(number)
    }

    var isLow: Bool {
        @inline(__always) get { free < reserve }
    }

    /// Doubles the number of provided buffers, if there are more. The caller gives them to the back
    /// end.
    mutating func provideMore() -> Range<UInt16> {
        let more = UInt16(provided)..<UInt16(min(count, provided * 2))
        provided += more.count
        free += more.count
        reserve = ReceiveBufferPool.reserve(of: provided)
        return more
    }

    /// Takes a buffer back. Returns whether the back end should have it now. While streams wait, it
    /// would go to other streams, whose next bytes are ready already.
    @inline(__always)
    mutating func giveBack(_ number: UInt16) -> Bool {
        free &+= 1
        guard hasStarved else { return true }
        kept.append(number)
        return false
    }

    // MARK: streams that wait

    var hasStarved: Bool { !starved.isEmpty }

    mutating func wait(_ stream: Unmanaged<LoopStream>) { starved.append(stream) }

    /// - Parameter isIdle: the loop has handled all buffers that the back end has filled.
    /// - Returns: buffers to give to the back end, and then streams to begin, one per buffer.
    mutating func takeStarved(
        isIdle: Bool
    ) -> (buffers: [UInt16], streams: [Unmanaged<LoopStream>]) {
        let first = starved.prefix(isIdle ? free : kept.count)
        starved.removeFirst(first.count)
        defer { kept = [] }
        return (kept, Array(first))
    }
}
