import Glibc
import LinuxPlatform
import TestSupport
import Testing

/// Connected sockets, as many as a ring sends on at once.
private final class Peers {
    let near: [Int32]
    let far: [Int32]

    init() {
        var (near, far): ([Int32], [Int32]) = ([], [])
        for _ in 0..<SendRing.capacity {
            var ends: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            near.append(ends[0])
            far.append(ends[1])
        }
        (self.near, self.far) = (near, far)
    }

    deinit { for descriptor in near + far { close(descriptor) } }

    func received(_ index: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = recv(far[index], &bytes, 100, Int32(MSG_DONTWAIT))
        return Array(bytes.prefix(max(0, count)))
    }
}

@Suite("Rings that send", .needsRing)
struct SendRingTests {
    private let ring: SendRing
    private let peers = Peers()

    init() throws { ring = try SendRing() }

    @Test("many sends leave with one call, again and again")
    func many() {
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 2 * SendRing.capacity, alignment: 64)
        defer { memory.deallocate() }
        for round in 0..<3 {
            for index in peers.near.indices {
                memory[2 * index] = UInt8(index)
                memory[2 * index + 1] = UInt8(round)
                let bytes = UnsafeRawBufferPointer(rebasing: memory[2 * index..<2 * index + 2])
                ring.prepare(peers.near[index], bytes, index: index)
            }
            ring.submit { Issue.record("send \($0) failed: \($1)") }
            for index in peers.far.indices {
                #expect(peers.received(index) == [UInt8(index), UInt8(round)])
            }
        }
    }

    @Test("a full socket, a part of the bytes, and a closed peer are reported, others are not")
    func failures() {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_000_000, alignment: 64)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 7)
        let (short, whole) = (
            UnsafeRawBufferPointer(rebasing: memory[..<2]), UnsafeRawBufferPointer(memory)
        )
        while send(peers.near[0], whole.baseAddress, whole.count, Int32(MSG_DONTWAIT)) > 0 {}
        shutdown(peers.far[2], Int32(SHUT_RDWR))
        ring.prepare(peers.near[0], short, index: 0)
        ring.prepare(peers.near[1], whole, index: 1)
        ring.prepare(peers.near[2], short, index: 2)
        ring.prepare(peers.near[3], short, index: 3)
        ring.prepare(1_000_000, short, index: 4)
        var results: [Int: Int32] = [:]
        ring.submit { results[$0] = $1 }
        #expect(results[0] == -EAGAIN)
        #expect((1..<4_000_000).contains(results[1] ?? 0))
        #expect(results[2] == -EPIPE)
        #expect(results[3] == nil)
        #expect(results[4] == -EBADF)
    }

    @Test("sends leave once, in one call, although the kernel refuses calls before")
    func refusedCalls() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let ring = try SendRing()
            let peers = Peers()
            let enters = try #require(RefusedEnters(RefusedEnters.all + RefusedEnters.all))
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 3, alignment: 64)
            for index in 0..<3 {
                memory[index] = UInt8(index)
                let byte = UnsafeRawBufferPointer(rebasing: memory[index...index])
                ring.prepare(peers.near[index], byte, index: index)
            }
            let start = MonotonicClock.nanoseconds()
            ring.submit { Issue.record("send \($0) failed: \($1)") }
            #expect(enters.left == 0 && enters.passed == 1)
            // It pauses after each error except EINTR.
            #expect(MonotonicClock.nanoseconds() - start >= 6_000_000)
            for index in 0..<3 { #expect(peers.received(index) == [UInt8(index)]) }
            RefusedEnters.endProcess()
        }
    }
}
