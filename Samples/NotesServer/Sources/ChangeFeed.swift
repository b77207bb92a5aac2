import FlyingFox
import FlyingSocks
import Foundation
import ServiceLifecycle
import Synchronization

/// Server-sent events for all who listen.
final class ChangeFeed: Service {
    typealias Events = AsyncStream<Data>
    private struct State {
        var isOver = false
        var next = 0
        var listeners: [Int: Events.Continuation] = [:]
    }
    /// Guards the listeners.
    private let state = Mutex(State())
    /// Most events that wait for one slow client; it loses older ones.
    private static let mostWaiting = 1000

    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// A comment now and then shows which clients have left. A graceful shutdown ends all streams.
    func run() async throws {
        await cancelWhenDone { while true { try await self.sendComments() } }
        let listeners = state.withLock { state in
            state.isOver = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    private func cancelWhenDone(_ body: @Sendable @escaping () async throws -> Void) async {
        _ = try? await cancelWhenGracefulShutdown(body)
    }

    private func sendComments() async throws {
        try await Task.sleep(for: .seconds(15))
        send(Data(":\n\n".utf8))
    }

    func send(event: String, _ data: Data) {
        send(Data("event: \(event)\ndata: ".utf8) + data + Data("\n\n".utf8))
    }

    private func send(_ bytes: Data) {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.yield(bytes) }
    }

    func response() -> HTTPResponse {
        let (events, continuation) = Events.makeStream(
            bufferingPolicy: .bufferingNewest(ChangeFeed.mostWaiting))
        continuation.yield(Data(": hello\n\n".utf8))
        let number: Int? = state.withLock { state in
            if state.isOver { return nil }
            state.next += 1
            state.listeners[state.next] = continuation
            return state.next
        }
        if let number {
            continuation.onTermination = { [self] _ in
                state.withLock { $0.listeners[number] = nil }
            }
        } else {
            continuation.finish()
        }
        return HTTPResponse(
            statusCode: .ok,
            headers: [.contentType: "text/event-stream", HTTPHeader("Cache-Control"): "no-cache"],
            body: HTTPBodySequence(from: EventBytes(events: events)))
    }
}

/// The events as FlyingFox wants a body: a sequence of bytes, in pieces.
private struct EventBytes: AsyncBufferedSequence {
    typealias Element = UInt8
    let events: ChangeFeed.Events

    struct AsyncIterator: AsyncBufferedIteratorProtocol {
        var events: ChangeFeed.Events.AsyncIterator
        mutating func next() async throws -> UInt8? { nil }
        mutating func nextBuffer(suggested count: Int) async throws -> Data? {
            await events.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(events: events.makeAsyncIterator())
    }
}
