// The echo server with one slow handler, on RingNetwork's connections:
// blocking-echo-network [--port 0] [--block none|sleep|compute|vfork|fsync] [--file PATH]
import Glibc
import RingDispatch
import RingNetwork
import Synchronization

guard let block = Block(rawValue: option("--block") ?? "none"),
    let port = UInt16(option("--port") ?? "0")
else { exitWithUsage() }
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
