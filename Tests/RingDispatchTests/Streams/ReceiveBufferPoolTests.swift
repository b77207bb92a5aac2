import Testing

@testable import LinuxPlatform
@testable import RingDispatch

@Suite("An event loop's receive buffers")
struct ReceiveBufferPoolTests {
    private let buffers = ReceiveBuffers(count: 256)

    private func makePool() -> ReceiveBufferPool {
        ReceiveBufferPool(buffers, of: Runtime.loop(number: 0))
    }

    private func makeStream() -> LoopStream {
        LoopStream(descriptor: -1, queue: DispatchQueue(label: "stream"))
    }

    @Test("When few are left, more are provided, and then they are used sparingly")
    func reserve() {
        defer { buffers.free() }
        var pool = makePool()
        var taken = UInt16(0)
        while !pool.isLow {
            _ = pool.take(taken)
            taken += 1
        }
        #expect(taken == 128 - 16 + 1 && pool.mostPerStream == 2)
        #expect(pool.provideMore() == 128..<256 && !pool.isLow && pool.mostPerStream == 16)
        while !pool.isLow {
            _ = pool.take(taken)
            taken += 1
        }
        #expect(taken == 256 - 32 + 1 && pool.provideMore().isEmpty)
        #expect(pool.giveBack(0) && !pool.isLow)
    }

    @Test("Buffers returned while streams wait go to these streams, in order")
    func turns() {
        defer { buffers.free() }
        var pool = makePool()
        for number in 0..<3 as Range<UInt16> { _ = pool.take(number) }
        #expect(pool.giveBack(0) && !pool.hasStarved)
        let streams = (0..<3).map { _ in makeStream() }
        let references = streams.map { Unmanaged.passUnretained($0).toOpaque() }
        for stream in streams { pool.wait(Unmanaged.passUnretained(stream)) }
        #expect(!pool.giveBack(1) && !pool.giveBack(2))
        let first = pool.takeStarved(isIdle: false)
        #expect(first.buffers == [1, 2])
        #expect(first.streams.map { $0.toOpaque() } == Array(references[..<2]))
        // The kernel may have filled its buffers already.
        #expect(pool.takeStarved(isIdle: false).streams.isEmpty && pool.hasStarved)
        let last = pool.takeStarved(isIdle: true)
        #expect(last.buffers.isEmpty && last.streams.map { $0.toOpaque() } == [references[2]])
        #expect(!pool.hasStarved)
    }
}
