import Glibc
import RingDispatch
import RingNetwork

/// One client. Its handlers run one at a time, and may block.
final class Session {
    private var reader = FrameReader(DelimiterFraming.lines(maximumLength: 1000))
    private var count = 0

    func receive(_ bytes: RawSpan, from connection: Connection) {
        do {
            try reader.receive(bytes) { (line: RawSpan) in
                count += 1
                let text = line.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                connection.send("\(count): \(text)\n")
            }
        } catch { connection.abort() }  // The line is too long.
    }
}

var options = ListenerOptions()
options.connectionLimit = 10_000
options.connection.timeouts.idle = .seconds(300)
let listener = try Listener(Endpoint("127.0.0.1:0"), options: options)
listener.setConnectionHandler { connection in
    let session = Session()
    connection.setReceiveHandler { session.receive($1, from: $0) }
    connection.activate()
}
listener.activate()
print("listening on", listener.endpoint)
fflush(nil)  // Shows the line at once, in a pipe, too.

let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: listener.queue)
termination.setEventHandler { listener.shutdown(deadline: .now() + .seconds(5)) { _ in exit(0) } }
termination.activate()
dispatchMain()
