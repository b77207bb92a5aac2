internal import LinuxPlatform
internal import RingDispatch

/// Bytes that wait in order for the kernel, or for encryption.
struct OutgoingQueue {
    enum Content {
        case bytes([UInt8])
        case data(DispatchData)
        case file(FileSlice)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .data(let data): data.count
            case .file(let file): file.count
            }
        }
    }

    struct Piece {
        fileprivate(set) var content: Content
        /// Bytes at the beginning that the kernel, or the layer, has taken.
        var taken = 0
        fileprivate(set) var count: Int
        fileprivate(set) var completion: SendCompletion?
        /// Queued by the connection's security layer (close_notify, for example), not by the
        /// program.
        let isOwn: Bool
        /// It began with short bytes, so no other connection has its array.
        fileprivate let takesMore: Bool
    }

    private var pieces: [Piece] = []
    /// The number of pieces at the beginning that are done.
    private var first = 0
    private(set) var byteCount = 0
    /// The last flush has ended although the kernel may have room, so no event will come.
    private(set) var hasEndedTurn = false

    var isEmpty: Bool { first == pieces.count }

    mutating func append(
        _ content: Content, _ completion: SendCompletion?, isOwn: Bool = false
    ) {
        let count = content.count
        byteCount += count
        var isShort = false
        if completion == nil, count <= OutgoingQueue.shortBytes, case .bytes(let bytes) = content {
            if join(bytes, isOwn) { return }
            isShort = true
        }
        pieces.append(
            Piece(
                content: content, count: count, completion: completion, isOwn: isOwn,
                takesMore: isShort))
    }

    /// Up to this many bytes are copied rather than kept as an array of their own.
    static let shortBytes = 4096
    /// Short bytes join the last piece while it has fewer than these.
    private static let joinedBytes = 16 * 1024

    /// Adds short bytes to the last piece, if it may have more: a peer that does not read must not
    /// cost much more memory than what it is sent, nor one send(2) for each send.
    private mutating func join(_ bytes: [UInt8], _ isOwn: Bool) -> Bool {
        let last = pieces.count - 1
        guard !isEmpty, pieces[last].takesMore, pieces[last].count < OutgoingQueue.joinedBytes,
            pieces[last].isOwn == isOwn, case .bytes(var joined) = pieces[last].content
        else { return false }
        // While the piece shared the array, adding to it would copy it.
        pieces[last].content = .bytes([])
        joined.append(contentsOf: bytes)
        pieces[last].count = joined.count
        pieces[last].content = .bytes(joined)
        return true
    }

    /// Sends until the kernel has no room, or the turn ends. Returns the error that ends all
    /// sending, or nil.
    /// - Parameter done: called with the completions of the pieces that the kernel has taken.
    mutating func flush(
        to descriptor: Int32, sent: inout UInt64, done: (SendCompletion) -> Void
    ) -> SocketError? {
        var turnBytes = 0
        hasEndedTurn = false
        while !isEmpty {
            let piece = next
            let result = piece.count > piece.taken ? send(piece, to: descriptor) : 0
            if result == Sockets.wouldBlock { return nil }
            if case .file(let file) = piece.content, piece.count > piece.taken {
                if result <= 0 { return file.error(result, taken: piece.taken) }
            } else if result < 0 {
                return SocketError("send", Int32(-result))
            }
            turnBytes += result
            sent &+= UInt64(result)
            if take(result), let completion = piece.completion { done(completion) }
            // Other queues with the same target get their turn first.
            if turnBytes >= OutgoingQueue.bytesInTurn {
                hasEndedTurn = true
                return nil
            }
        }
        return nil
    }

    static let bytesInTurn = 1024 * 1024

    private func send(_ piece: Piece, to descriptor: Int32) -> Int {
        switch piece.content {
        case .bytes(let bytes):
            bytes.withUnsafeBytes { whole in
                Sockets.send(descriptor, UnsafeRawBufferPointer(rebasing: whole[piece.taken...]))
            }
        case .data(let data):
            data.withBuffers(from: piece.taken, limit: GatherList.mostPieces) {
                Sockets.send(descriptor, $0)
            }
        case .file(let file):
            file.send(to: descriptor, from: piece.taken)
        }
    }

    /// The first piece that is not done; the queue must not be empty.
    var next: Piece { pieces[first] }

    /// Marks `count` bytes of the next piece as done. Returns whether the whole piece is.
    mutating func take(_ count: Int) -> Bool {
        byteCount -= count
        pieces[first].taken += count
        if pieces[first].taken < pieces[first].count { return false }
        first += 1
        if first == pieces.count {
            pieces.removeAll(keepingCapacity: pieces.capacity <= OutgoingQueue.keptCapacity)
            first = 0
        } else if first >= OutgoingQueue.keptCapacity && first * 2 >= pieces.count {
            pieces.removeFirst(first)
            first = 0
        } else {
            // A peer that reads slowly must not hold what it has been sent.
            pieces[first - 1].content = .bytes([])
            pieces[first - 1].completion = nil
        }
        return true
    }

    private static let keptCapacity = 16

    /// Whether a piece was queued by the program.
    var hasProgramBytes: Bool { pieces[first...].contains { !$0.isOwn } }

    /// Drops everything. Returns the completions to call.
    mutating func abandon() -> [SendCompletion] {
        defer { self = OutgoingQueue() }
        return pieces[first...].compactMap { $0.completion }
    }
}
