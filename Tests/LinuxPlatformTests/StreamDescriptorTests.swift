import Glibc
import LinuxPlatform
import Testing

@Suite("StreamDescriptor")
struct StreamDescriptorTests {
    @Test("A call does not block after another user of the terminal has cleared O_NONBLOCK")
    func sharedTerminal() throws {
        let main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(main >= 0)
        defer { close(main) }
        // TIOCSPTLCK unlocks its terminal, TIOCGPTPEER opens it.
        var isLocked: Int32 = 0
        try #require(ioctl(main, 0x4004_5431, &isLocked) == 0)
        let terminal = ioctl(main, 0x5441, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(terminal >= 0)
        defer { close(terminal) }
        var isNonBlocking: Bool { fcntl(terminal, F_GETFL) & O_NONBLOCK != 0 }
        var first = StreamDescriptor(number: terminal, isSocket: false)
        var second = StreamDescriptor(number: terminal, isSocket: false)
        // As if the kernel had rejected RWF_NOWAIT, as it does for terminals.
        first.setNonBlocking()
        second.setNonBlocking()
        first.restore()
        #expect(!isNonBlocking)

        try #require(write(main, "a\n", 2) == 2)
        #expect(read(&second) == 2)
        #expect(isNonBlocking)
        #expect(read(&second) == Sockets.wouldBlock)
        second.restore()
        #expect(!isNonBlocking)
    }

    private func read(_ stream: inout StreamDescriptor) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) { stream.read(into: $0) }
    }
}
