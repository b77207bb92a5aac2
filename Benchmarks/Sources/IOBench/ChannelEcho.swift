#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif
import Glibc

/// An echo server on channels: each connection has one endless read, and one write per message.
final class ChannelEcho: @unchecked Sendable {
    let port: UInt16
    private let listener: Int32
    private let queue = DispatchQueue(label: "io-bench.listener")
    private let source: any DispatchSourceRead

    init(port: UInt16) {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // Safety: `address` outlives each call, which also gets its size.
        let listener = listener
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard bind(listener, generic, size) == 0, listen(listener, SOMAXCONN) == 0,
                    getsockname(listener, generic, &size) == 0
                else { fatalError("errno \(errno)") }
            }
        }
        self.port = UInt16(bigEndian: address.sin_port)
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
        signal(SIGPIPE, SIG_IGN)
        source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
        source.setEventHandler { self.acceptAll() }
        source.activate()
    }

    private func acceptAll() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            var on: Int32 = 1
            let size = socklen_t(MemoryLayout<Int32>.size)
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
            serve(descriptor)
        }
    }

    private func serve(_ descriptor: Int32) {
        let queue = DispatchQueue(label: "io-bench.connection")
        let channel = DispatchIO(type: .stream, fileDescriptor: descriptor, queue: queue) { _ in
            close(descriptor)
        }
        channel.setLimit(lowWater: 1)
        channel.read(offset: 0, length: .max, queue: queue) { done, data, error in
            if let data, data.count > 0 {
                channel.write(offset: 0, data: data, queue: queue) { _, _, error in
                    if error != 0 { channel.close(flags: .stop) }
                }
            }
            if done { channel.close() }
        }
    }
}
