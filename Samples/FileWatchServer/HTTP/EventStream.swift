import RingDispatch
import RingNetwork

/// `GET /events`: sends changes as server-sent events.
enum EventStream {
    /// Proxies and this server close connections that are idle for longer.
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

    /// Takes the connection over. Call on its queue.
    static func serve(_ connection: Connection, _ command: ClientCommand, _ feed: ChangeFeed) {
        let subscriber = Subscriber(connection, feed, .serverSentEvents)
        let heartbeat = DispatchSource.makeTimerSource(queue: connection.queue)
        heartbeat.schedule(
            deadline: .now() + .seconds(heartbeatSeconds), repeating: .seconds(heartbeatSeconds),
            leeway: .seconds(1))
        heartbeat.setEventHandler {
            // Data for a client that reads nothing would keep it from its idle time-out.
            if connection.state == .active, connection.unsentBytes == 0 {
                connection.send(Array(":\n\n".utf8))
            }
        }
        connection.setReceiveHandler { _, _ in }
        connection.setEndHandler { _ in subscriber.finish() }
        connection.setCloseHandler { _, _ in
            heartbeat.cancel()
            subscriber.end()
        }
        heartbeat.activate()
        subscriber.apply(command)
        // A client that loses its connection before the first event comes back with this id.
        connection.send(Array((head + subscriber.idLine + "\n").utf8))
    }
}
