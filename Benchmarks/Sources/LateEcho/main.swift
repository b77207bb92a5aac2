// An echo server that has work after each answer.
//
//   late-echo [--port 0] [--work MICROSECONDS] [--blocks COUNT]
//
// The handler computes for that long itself; with blocks, one on each of so many queues does.
import Glibc
import RingDispatch
import RingNetwork

let work = number("--work")
let queues = (0..<number("--blocks")).map { DispatchQueue(label: "work \($0)") }

@Sendable func compute() {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(work) * 1000
    while DispatchTime.now().uptimeNanoseconds < end {}
}

let listener = try Listener(.ipv4(.loopback, port: UInt16(number("--port"))))
listener.setConnectionHandler { connection in
    connection.setReceiveHandler { connection, bytes in
        connection.send(bytes)
        if queues.isEmpty { compute() }
        for queue in queues { queue.async { compute() } }
    }
    connection.activate()
}
listener.activate()
print("listening on \(listener.endpoint)")
fflush(nil)
dispatchMain()

/// The number after `name`; otherwise 0.
private func number(_ name: String) -> Int {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return 0 }
    guard let number = Int(arguments[index + 1]), 0...65_535 ~= number else {
        print("usage: \(arguments[0]) [--port 0] [--work MICROSECONDS] [--blocks COUNT]")
        exit(2)
    }
    return number
}
