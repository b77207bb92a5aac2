// The echo server with one slow handler, on RingNetwork's connections:
// blocking-echo-network [--port 0] [--block none|sleep|compute]
import Glibc
import RingDispatch
import RingNetwork
import Synchronization

func option(_ name: String) -> String? {
    let arguments = CommandLine.arguments
    let index = arguments.firstIndex(of: name).map { $0 + 1 }
    return index.flatMap { $0 < arguments.count ? arguments[$0] : nil }
}

guard let block = Block(rawValue: option("--block") ?? "none"),
    let port = UInt16(option("--port") ?? "0")
else {
    print("usage: \(CommandLine.arguments[0]) [--port 0] [--block none|sleep|compute]")
    exit(2)
}
let accepted = Atomic<Int>(0)
let listener = try Listener(.ipv4(.loopback, port: port))
listener.setConnectionHandler { connection in
    let isSlow = accepted.add(1, ordering: .relaxed).newValue == 1
    connection.setReceiveHandler { connection, bytes in
        if isSlow { block.run() }
        connection.send(bytes)
    }
    connection.activate()
}
listener.activate()
print("listening on \(listener.endpoint)")
fflush(nil)
dispatchMain()
