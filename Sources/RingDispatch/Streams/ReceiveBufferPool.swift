internal import LinuxPlatform

/// A loop's receive buffers, one for each of its kernel's receive buffers, and the streams that wait for
/// some. The loop's own.
///
/// Handlers may hold as many buffers as they like, for as long as they block: the kernel keeps a
/// reserve, so that other streams go on. What comes when only the reserve is left is copied.
struct ReceiveBufferPool {
    private let receiveBuffers: UnsafeMutablePointer<ReceiveBuffer>
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

    /// A stream may have so many receive buffers that its handler has not seen.
    var mostPerStream: UInt32 {
        @inline(__always) get { free > reserve ? 16 : 2 }
    }

    /// The kernel has filled a buffer.
    @inline(__always)
    mutating func take(_ number: UInt16) -> ReceiveBufferPointer {
        free &-= 1
        return receiveBuffers + Int(number)
    }

    var isLow: Bool {
        @inline(__always) get { free < reserve }
    }

    /// As many more buffers as the kernel has, if there are, which the caller is to give it.
    mutating func provideMore() -> Range<UInt16> {
        let more = UInt16(provided)..<UInt16(min(count, provided * 2))
        provided += more.count
        free += more.count
        reserve = ReceiveBufferPool.reserve(of: provided)
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

    mutating func wait(_ stream: Unmanaged<LoopStream>) { starved.append(stream) }

    /// - Parameter isIdle: the kernel has filled no buffer that the loop does not know of.
    /// - Returns: buffers to give the kernel, and then streams to begin: as many as find some.
    mutating func takeStarved(
        isIdle: Bool
    ) -> (buffers: [UInt16], streams: [Unmanaged<LoopStream>]) {
        let first = starved.prefix(isIdle ? free : kept.count)
        starved.removeFirst(first.count)
        defer { kept = [] }
        return (kept, Array(first))
    }
}
