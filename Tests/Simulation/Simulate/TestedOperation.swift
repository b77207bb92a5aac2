internal import CSimulation
internal import Glibc
internal import RingDispatch

/// A read or a write of a channel, or one without a channel, whose handler is checked.
final class TestedOperation: @unchecked Sendable {
    let isRead: Bool
    let length: Int
    /// Nil: `DispatchIO.read` or `DispatchIO.write`.
    let channel: TestedChannel?
    private unowned let end: ChannelEnd
    private let deadline: DispatchTime
    private let queue = anyQueue()
    /// The number of the submission at this end, which the holder of the turn sets.
    var number = 0
    /// Not refused: its channel was still open after the submission.
    private(set) var isAccepted = false
    private(set) var isDone = false
    private var isInHandler = false
    /// Read so far, or to be written.
    private(set) var bytes: [UInt8]
    private var unwritten: Int
    /// A call had fewer bytes than the low water mark. Only the last one may follow.
    private var wasShort = false

    static let mostWritten = 20_000
    /// All operations write a part of it.
    private static let pattern = (0..<mostWritten + 251).map { UInt8(($0 &* 7) % 251) }

    init(isRead: Bool, of end: ChannelEnd, _ channel: TestedChannel?) {
        self.isRead = isRead
        self.end = end
        self.channel = channel
        let hasDeadline = oneIn(5) || channel == nil && (end.stops || oneIn(2))
        deadline = hasDeadline ? .now() + .microseconds(random(0...4_000)) : .distantFuture
        if isRead {
            length = channel != nil && oneIn(5) ? .max : random(0...3_000)
            bytes = []
        } else {
            length = random(0...(oneIn(6) ? TestedOperation.mostWritten : 3_000))
            let start = random(0...250)
            bytes = Array(TestedOperation.pattern[start..<start + length])
        }
        unwritten = length
    }

    /// The bytes that were written.
    var written: ArraySlice<UInt8> { bytes.prefix(length - unwritten) }
    private var hasTransferred: Bool { isRead ? !bytes.isEmpty : unwritten < length }

    /// The caller has the turn.
    func submit() {
        note(isRead ? "read" : "write", number)
        guard let channel else {
            isAccepted = true
            return submitAlone()
        }
        guard let io = channel.io else {
            // Released by another thread.
            isDone = true
            return
        }
        let handler: (Bool, DispatchData?, Int32) -> Void = { [self] in handle($0, $1, $2) }
        if isRead {
            io.read(
                offset: 0, length: length, queue: queue, deadline: deadline, ioHandler: handler)
        } else {
            io.write(offset: 0, data: data, queue: queue, deadline: deadline, ioHandler: handler)
        }
        isAccepted = !channel.isOver
    }

    private func submitAlone() {
        if isRead {
            DispatchIO.read(
                fromFileDescriptor: end.descriptor, maxLength: length, runningHandlerOn: queue,
                deadline: deadline
            ) { [self] in handle(true, $0, $1) }
        } else {
            DispatchIO.write(
                toFileDescriptor: end.descriptor, data: data, runningHandlerOn: queue,
                deadline: deadline
            ) { [self] in handle(true, $0, $1) }
        }
    }

    /// The bytes to write, in two regions.
    private var data: DispatchData {
        bytes.withUnsafeBytes { all in
            let middle = random(0...all.count)
            var data = DispatchData(bytes: UnsafeRawBufferPointer(rebasing: all[..<middle]))
            data.append(UnsafeRawBufferPointer(rebasing: all[middle...]))
            return data
        }
    }

    // MARK: the handler

    private func handle(_ done: Bool, _ data: DispatchData?, _ error: Int32) {
        note(done ? "last handler call" : "handler call", number)
        require(!isDone, "a call after the last one")
        require(!isInHandler, "two calls at the same time")
        isInHandler = true
        let content = copy(data)
        if isRead { take(content, done) } else { takeUnwritten(content) }
        require(done || error == 0, "error \(error) before the last call")
        if done { requireReason(error, content) }
        if hasTransferred { end.requireBarriersDone(before: self) }
        if oneIn(10) { pause(1...1_500) }
        if done && error == 0 && oneIn(3) { end.follow(self) }
        isInHandler = false
        isDone = done
    }

    private func copy(_ data: DispatchData?) -> [UInt8] {
        guard let data else { return [] }
        return [UInt8](unsafeUninitializedCapacity: data.count) { buffer, count in
            data.copyBytes(to: UnsafeMutableRawBufferPointer(buffer), count: data.count)
            count = data.count
        }
    }

    private func take(_ content: [UInt8], _ done: Bool) {
        bytes += content
        require(bytes.count <= length, "\(bytes.count) bytes, not at most \(length)")
        guard let channel else { return }
        require(content.count <= channel.highWater, "\(content.count) bytes at once")
        require(done || !wasShort, "a call with too few bytes")
        wasShort = content.count < channel.lowWater && !channel.isStrict
    }

    private func takeUnwritten(_ content: [UInt8]) {
        require(content.count <= unwritten, "more unwritten bytes than before")
        unwritten = content.count
        require(content == Array(bytes.suffix(unwritten)), "wrong unwritten bytes")
    }

    private func requireReason(_ error: Int32, _ content: [UInt8]) {
        let isExplained: Bool
        switch error {
        case 0 where isRead:
            let isFull = channel == nil ? !bytes.isEmpty || length == 0 : bytes.count == length
            isExplained = isFull || content.isEmpty && end.peer.isClosed
        case 0: isExplained = unwritten == 0
        case ECANCELED: isExplained = channel?.isOver == true
        case ETIMEDOUT: isExplained = simulation_now() >= deadline.uptimeNanoseconds
        case EPIPE: isExplained = !isRead && end.peer.isClosed
        case ECONNRESET: isExplained = end.peer.isClosed
        default: isExplained = false
        }
        require(isExplained, "error \(error) after \(bytes.count) bytes of \(length)")
    }
}
