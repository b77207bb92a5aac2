import RingDispatch
import RingNetwork

/// `GET /events`: a client that receives changes as server-sent events.
enum EventStream {
    /// Proxies and this server close connections that are silent for longer.
    private static let heartbeatSeconds = 15
    private static let reconnectMilliseconds = 1000

    private static let head = """
        HTTP/1.1 200 OK\r
        Content-Type: text/event-stream; charset=utf-8\r
        Cache-Control: no-store\r
        Connection: close\r
        X-Accel-Buffering: no\r
        \r
        retry: \(reconnectMilliseconds)


        """

    /// Takes the connection over, on its queue.
    static func serve(_ connection: Connection, _ command: ClientCommand, _ feed: ChangeFeed) {
        let subscriber = Subscriber(connection, feed, .serverSentEvents)
        let heartbeat = DispatchSource.makeTimerSource(queue: connection.queue)
        heartbeat.schedule(
            deadline: .now() + .seconds(heartbeatSeconds), repeating: .seconds(heartbeatSeconds),
            leeway: .seconds(1))
        heartbeat.setEventHandler {
            // A client that reads nothing has to run into the idle time-out.
            if connection.state == .active, connection.unsentBytes == 0 {
                connection.send(Array(":\n\n".utf8))
            }
        }
        // The client's bytes are ignored.
        connection.setReceiveHandler { _, _ in }
        connection.setCloseHandler { _, _ in
            heartbeat.cancel()
            subscriber.end()
        }
        connection.send(Array(head.utf8))
        heartbeat.activate()
        subscriber.begin()
        subscriber.apply(command)
    }
}
