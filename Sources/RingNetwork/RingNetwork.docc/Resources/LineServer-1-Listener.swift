import Glibc
import RingDispatch
import RingNetwork

let listener = try Listener(Endpoint("127.0.0.1:0"))
listener.setConnectionHandler { connection in
    connection.setReceiveHandler { connection, bytes in connection.send(bytes) }
    connection.activate()
}
listener.activate()
print("listening on", listener.endpoint)
fflush(nil)  // Shows the line at once, in a pipe, too.

dispatchMain()
