import Glibc
import LinuxPlatform

/// Two sockets that are connected to each other.
struct SocketPair: ~Copyable {
    let near: OwnedDescriptor
    let far: OwnedDescriptor

    init() {
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        near = OwnedDescriptor(adopting: ends[0])
        far = OwnedDescriptor(adopting: ends[1])
    }

    func send() { send("x") }

    func send(_ text: String, flags: Int32 = 0) {
        _ = Glibc.send(far.number, text, text.utf8.count, flags)
    }
}
