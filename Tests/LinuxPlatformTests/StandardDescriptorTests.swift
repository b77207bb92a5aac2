import CLinux
import Glibc
import LinuxPlatform
import TestSupport
import Testing

@Suite("Standard descriptors")
struct StandardDescriptorTests {
    @Test("Those that are closed at the start lead to /dev/null, and others stay")
    func closed() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let output = linkTarget("/proc/self/fd/1")
            close(0)
            close(2)
            clinux_open_standard_descriptors()
            let targets = (0...2).map { linkTarget("/proc/self/fd/\($0)") }
            _exit(targets == ["/dev/null", output, "/dev/null"] ? 0 : 1)
        }
    }

    @Test("A line for a full standard error stops nobody")
    func full() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            _ = makePipeOfErrors()
            _ = fcntl(2, F_SETFL, O_NONBLOCK)
            let bytes = [UInt8](repeating: 7, count: 4096)
            while write(2, bytes, bytes.count) > 0 {}
            _ = fcntl(2, F_SETFL, 0)
            alarm(UInt32(Patience.seconds))
            Diagnostics.log("a line")
            _exit(0)
        }
    }

    @Test("A line for a standard error that nobody reads any more ends no process")
    func unread() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            close(makePipeOfErrors())
            Diagnostics.log("a line")
            _exit(0)
        }
    }
}

/// Makes standard error a pipe, and returns its reading end.
private func makePipeOfErrors() -> Int32 {
    var pair: [Int32] = [-1, -1]
    pipe(&pair)
    dup2(pair[1], 2)
    return pair[0]
}
