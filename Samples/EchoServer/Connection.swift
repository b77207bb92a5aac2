import RingDispatch

/// One client: sends back what it receives, in order. Confined to its own serial queue.
///
/// Life: `start`, then reading; while the peer does not take its echo, reading is suspended and a
/// write source waits for room (so a slow reader costs one buffer, never more); then end of file,
/// an error or `stop` cancels the sources, and the last cancel handler closes the descriptor.
///
/// A peer that only closed its sending side still gets all of its echo: end of file is read when
/// nothing is left to send, since reading waits for sending.
final class Connection: @unchecked Sendable {
    private static let bufferSizeBytes = 16 * 1024
    /// Reads at one event before other queues get a turn; the source calls again for what is left.
    private static let readsPerEvent = 16

    private let descriptor: Int32
    private let queue: DispatchQueue
    private let reader: any DispatchSourceRead
    /// Made when a send is cut short for the first time.
    private var writer: (any DispatchSourceWrite)?
    private let buffer = SocketBuffer(capacity: bufferSizeBytes)
    /// The part of `buffer` that is still to be sent.
    private var unsent = 0..<0
    /// True: `reader` is suspended and `writer` runs. False: the other way round.
    private var isWaitingForRoom = false
    private var liveSources = 1
    private var statistics = Statistics()
    private let onClosed: (Statistics) -> Void

    /// - Parameter onClosed: called once, on the connection's queue, when the descriptor is closed.
    init(descriptor: Int32, number: Int, onClosed: @escaping (Statistics) -> Void) {
        self.descriptor = descriptor
        self.onClosed = onClosed
        queue = DispatchQueue(label: "echo-server.connection.\(number)")
        reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    }

    func start() {
        reader.setEventHandler { self.receive() }
        reader.setCancelHandler { self.sourceEnded() }
        reader.activate()
    }

    /// Closes without waiting for the peer. May be called from any thread.
    func stop() {
        queue.async { self.cancel() }
    }

    private func receive() {
        guard !reader.isCancelled else { return }
        for _ in 0..<Self.readsPerEvent {
            switch buffer.receive(from: descriptor) {
            case .bytes(let count):
                statistics.messages += 1
                statistics.bytes += count
                unsent = 0..<count
                guard sendUnsent() else { return }
                // A short read emptied the socket: no need to hear EAGAIN.
                if count < Self.bufferSizeBytes { return }
            case .wouldBlock:
                return
            case .endOfFile, .failed:
                return cancel()
            }
        }
    }

    /// True when everything is sent; false when the rest waits for room, or the peer is gone.
    private func sendUnsent() -> Bool {
        while !unsent.isEmpty {
            switch buffer.send(unsent, to: descriptor) {
            case .bytes(let count):
                unsent = unsent.lowerBound + count..<unsent.upperBound
            case .wouldBlock:
                waitForRoom()
                return false
            case .endOfFile, .failed:
                cancel()
                return false
            }
        }
        return true
    }

    private func waitForRoom() {
        guard !isWaitingForRoom else { return }
        isWaitingForRoom = true
        reader.suspend()
        if let writer { return writer.resume() }
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { self.roomAvailable() }
        source.setCancelHandler { self.sourceEnded() }
        writer = source
        liveSources += 1
        source.activate()
    }

    private func roomAvailable() {
        guard isWaitingForRoom, !reader.isCancelled, sendUnsent() else { return }
        isWaitingForRoom = false
        writer?.suspend()
        reader.resume()
    }

    private func cancel() {
        guard !reader.isCancelled else { return }
        reader.cancel()
        writer?.cancel()
        // The cancel handler of a suspended source does not run: resume the one that is.
        if isWaitingForRoom { reader.resume() } else { writer?.resume() }
    }

    private func sourceEnded() {
        liveSources -= 1
        guard liveSources == 0 else { return }
        writer = nil
        closeDescriptor(descriptor)
        onClosed(statistics)
    }
}
