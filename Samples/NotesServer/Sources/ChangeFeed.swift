import FlyingFox
import Foundation
import RingHTTP
import ServiceLifecycle
import Synchronization

/// Server-sent events for all who listen.
final class ChangeFeed: Service {
    /// Nil after the shutdown.
    private let listeners = Mutex<[UUID: AsyncStream<Data>.Continuation]?>([:])

    var listenerCount: Int { listeners.withLock { $0?.count ?? 0 } }

    /// A comment now and then shows which clients have left. A graceful shutdown ends all streams.
    func run() async {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(15))
                self.send(":\n\n")
            }
        }
        for listener in listeners.withLock({ $0.take() ?? [:] }).values { listener.finish() }
    }

    func send(event: String, _ json: String) { send("event: \(event)\ndata: \(json)\n\n") }

    private func send(_ text: String) {
        let event = Data(text.utf8)  // Once: all streams share it.
        for listener in listeners.withLock({ $0 ?? [:] }).values { listener.yield(event) }
    }

    func response() -> HTTPResponse {
        // A slow client loses older events.
        let (events, listener) = AsyncStream.makeStream(
            of: Data.self, bufferingPolicy: .bufferingNewest(100))
        let id = UUID()
        listener.onTermination = { [self] _ in listeners.withLock { $0?[id] = nil } }
        listener.yield(Data(": hello\n\n".utf8))
        let isOver = listeners.withLock { listeners in
            listeners?[id] = listener
            return listeners == nil
        }
        if isOver { listener.finish() }
        return HTTPResponse(
            statusCode: .ok,
            headers: [.contentType: "text/event-stream", HTTPHeader("Cache-Control"): "no-cache"],
            body: HTTPBodySequence(pieces: events))
    }
}
