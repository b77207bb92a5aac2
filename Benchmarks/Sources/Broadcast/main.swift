// Sends what one connection sends to all others. One serial queue runs the handlers of all.
//
//   broadcast-ring [--port 0]
import Glibc
import RingDispatch
import RingNetwork

/// The open connections. Everything is used on `queue` only, the queue of all connections and the
/// target of the listener's.
final class Room: @unchecked Sendable {
    // Safety: see above.
    let queue = DispatchQueue(label: "room")
    private var members: Set<Connection> = []

    func add(_ connection: Connection) {
        members.insert(connection)
        connection.setReceiveHandler { [self] sender, bytes in forward(bytes, from: sender) }
        connection.setCloseHandler { [self] connection, _ in members.remove(connection) }
        connection.activate()
    }

    private func forward(_ bytes: RawSpan, from sender: Connection) {
        for member in members where member !== sender { member.send(bytes) }
    }
}

let arguments = CommandLine.arguments
let text = arguments.firstIndex(of: "--port").flatMap { arguments.dropFirst($0 + 1).first } ?? "0"
guard let port = UInt16(text) else {
    print("usage: \(arguments[0]) [--port 0]")
    exit(2)
}

let room = Room()
var options = ListenerOptions()
options.placement = ConnectionPlacement(queue: room.queue)
let listener = try Listener(
    .ipv4(.loopback, port: port), options: options, target: room.queue)
listener.setConnectionHandler { [room] in room.add($0) }
listener.activate()
print("listening on \(listener.endpoint)")
fflush(nil)
dispatchMain()
