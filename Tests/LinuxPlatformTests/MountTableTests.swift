import TestSupport
import Testing

@testable import LinuxPlatform

@Suite("Mount table")
struct MountTableTests {
    static let table = MountTable(
        text: """
            21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            22 21 0:5 / /proc rw - proc proc rw
            30 21 0:40 / /no-such/data rw shared:2 master:3 - nfs4 host:/data rw
            31 30 0:41 / /no-such/data/my\\040disk rw - fuse.sshfs you@host: rw
            32 21 0:42 / /no-such/data2 rw - tmpfs none rw
            33 30 0:43 / /no-such/data rw - cifs //host/data rw
            broken line
            """)

    private func types(_ path: String) -> [String] {
        Self.table.mounts(holding: path).map(\.type)
    }

    @Test("a folder's file system is the last one mounted at the nearest path")
    func holder() {
        #expect(types("/no-such/data/a/b") == ["cifs"])
        #expect(types("/no-such/data/my disk/x") == ["fuse.sshfs"])
        #expect(types("/no-such/data22") == ["ext4"])
    }

    @Test("mounts below a folder hold files of it")
    func inner() {
        #expect(types("/no-such/data") == ["cifs", "fuse.sshfs"])
        #expect(types("/no-such") == ["ext4", "cifs", "fuse.sshfs", "tmpfs"])
    }

    @Test("the process's own mounts can be read")
    func own() {
        #expect(MountTable().mounts(holding: "/proc").first?.type == "proc")
        #expect(MountTable(text: "").mounts(holding: "/").isEmpty)
    }

    @Test("the mounts can be read after the main thread has ended")
    func ownWithoutMainThread() async {
        await #expect(processExitsWith: .success) {
            endMainThread()
            #expect(!MountTable().mounts.isEmpty)
        }
    }
}
