import RingDispatch
import RingNetwork
import SampleSupport

/// `GET /events`: sends changes as server-sent events.
enum EventStream {
    /// Proxies and this server close connections that are idle for longer.
    private static let heartbeatSeconds = 15
    private static let reconnectMilliseconds = 1000

    /// The head: the stream has no end.
    static let response = HTTPResponse(
        .ok, nil, contentType: "text/event-stream; charset=utf-8",
        fields: "X-Accel-Buffering: no\r\n")

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
        let beginning = "retry: \(reconnectMilliseconds)\n" + subscriber.idLine + "\n"
        connection.send(response.bytes(keepsAlive: false, hasBody: false) + beginning.utf8)
    }
}
