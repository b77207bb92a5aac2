// A broadcast: what one client sends, all get. The connections share one queue, and no lock.
import Glibc
import RingDispatch
import RingNetwork

/// The clients. Safety: used only on `queue`. All handlers run there, one at a time.
final class Room: @unchecked Sendable {
    let queue = DispatchQueue(label: "room")
    private var members: Set<Connection> = []

    func add(_ member: Connection) { members.insert(member) }

    func remove(_ member: Connection) { members.remove(member) }

    func send(_ bytes: RawSpan) {
        for member in members {
            // A member that reads too slowly must not fill the memory.
            if member.isWritable { member.send(bytes) } else { member.abort() }
        }
    }
}

let room = Room()
var options = ListenerOptions()
options.placement = ConnectionPlacement(queue: room.queue)
// The listener's handler runs on the queue, too, because of the target.
let listener = try Listener(Endpoint("127.0.0.1:0"), options: options, target: room.queue)
listener.setConnectionHandler { [room] connection in
    room.add(connection)
    connection.setReceiveHandler { room.send($1) }
    connection.setCloseHandler { connection, _ in room.remove(connection) }
    connection.activate()
}
listener.activate()
print("listening on", listener.endpoint)
fflush(nil)  // Shows the line at once, in a pipe, too.
// snippet.hide
let client = Task { [endpoint = listener.endpoint] in
    try await Connector.shared.withConnection(to: endpoint) { first in
        try await first.send("a")
        _ = try await first.receive(exactly: 1, within: .seconds(60))
        try await Connector.shared.withConnection(to: endpoint) { second in
            try await second.send("hello\n")
            for client in [first, second] {
                let bytes = try await client.receive(exactly: 6, within: .seconds(60))
                precondition(bytes == Array("hello\n".utf8))
            }
        }
    }
    exit(0)
}
// snippet.show
dispatchMain()
