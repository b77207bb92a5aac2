// An echo server in three forms of RingNetwork: a handler, or a task for each connection that
// receives spans or arrays.
//
//   async-echo [--form handler|span|array] [--port 0]
import Glibc
import RingDispatch
import RingNetwork

let arguments = CommandLine.arguments
let form = option("--form") ?? "span"
guard let port = UInt16(option("--port") ?? "0"), ["handler", "span", "array"].contains(form) else {
    print("usage: \(arguments[0]) [--form handler|span|array] [--port 0]")
    exit(2)
}

var options = ListenerOptions()
options.socket.noDelay = true
let listener = try Listener(.ipv4(.loopback, port: port), options: options)
print("listening on \(listener.endpoint)")
fflush(nil)
switch form {
case "span":
    await listener.run { client in
        while try await client.receive({ client.connection.send($0) }) {}
    }
case "array":
    await listener.run { client in
        for try await bytes in client.inbound { try await client.send(bytes) }
    }
default:
    listener.setConnectionHandler { connection in
        connection.setReceiveHandler { $0.send($1) }
        connection.activate()
    }
    listener.activate()
    dispatchMain()
}

private func option(_ name: String) -> String? {
    let index = arguments.firstIndex(of: name).map { $0 + 1 }
    return index.flatMap { $0 < arguments.count ? arguments[$0] : nil }
}
