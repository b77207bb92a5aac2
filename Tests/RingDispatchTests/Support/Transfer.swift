import Glibc
import RingDispatch
import Testing

/// One call of an I/O handler.
struct IOCall: Equatable, CustomStringConvertible {
    var isDone: Bool
    /// Nil when the handler got no data.
    var bytes: [UInt8]?
    var error: Int32

    static func part(_ bytes: [UInt8]) -> IOCall { IOCall(isDone: false, bytes: bytes, error: 0) }
    static func done(_ bytes: [UInt8]?, _ error: Int32 = 0) -> IOCall {
        IOCall(isDone: true, bytes: bytes, error: error)
    }

    var description: String {
        "(done \(isDone), \(bytes.map { "\($0.count) bytes" } ?? "nil"), error \(error))"
    }
}

/// Writes down the calls of one operation's handler, and checks what holds for all of them.
final class Transfer: Sendable {
    private let log = Watched<[IOCall]>([])
    private let inside = Watched(0)

    /// The handler to give to the operation.
    var handler: @Sendable (Bool, DispatchData?, Int32) -> Void {
        { done, data, error in
            #expect(self.inside.increment() == 1, "two calls at a time")
            self.log.update { calls in
                #expect(calls.last?.isDone != true, "a call after the last one")
                let bytes = data.map { data in
                    data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in Array(bytes) }
                }
                calls.append(IOCall(isDone: done, bytes: bytes, error: error))
            }
            self.inside.increment(by: -1)
        }
    }

    var calls: [IOCall] { log.value }
    var isDone: Bool { calls.last?.isDone == true }
    /// Everything that was read so far.
    var bytes: [UInt8] { calls.flatMap { $0.bytes ?? [] } }
    var error: Int32? { calls.last.flatMap { $0.isDone ? $0.error : nil } }

    /// Waits for the last call.
    @discardableResult
    func finish(sourceLocation: SourceLocation = #_sourceLocation) -> [IOCall] {
        expectEventually(log, sourceLocation: sourceLocation) { $0.last?.isDone == true }
        return log.value
    }

    /// Waits until the handler was given so many bytes.
    func expectBytes(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        expectEventually(log, sourceLocation: sourceLocation) { calls in
            calls.reduce(0) { $0 + ($1.bytes?.count ?? 0) } >= count
        }
    }

    /// Waits until the handler was called so often.
    func expectCalls(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        expectEventually(log, sourceLocation: sourceLocation) { $0.count >= count }
    }

    /// Checks for a moment that no call arrives.
    func expectSilence(sourceLocation: SourceLocation = #_sourceLocation) {
        expectStays(log, at: log.value, sourceLocation: sourceLocation)
    }
}

extension DispatchIO {
    /// Reads into a transfer.
    func read(_ length: Int, from offset: Int = 0, on queue: DispatchQueue) -> Transfer {
        let transfer = Transfer()
        read(offset: offset, length: length, queue: queue, ioHandler: transfer.handler)
        return transfer
    }

    /// Writes, with the handler's calls in a transfer.
    func write(_ data: DispatchData, at offset: Int = 0, on queue: DispatchQueue) -> Transfer {
        let transfer = Transfer()
        write(offset: offset, data: data, queue: queue, ioHandler: transfer.handler)
        return transfer
    }
}

/// The channel's cleanup handler, and its argument.
final class Cleanup: Sendable {
    private let codes = Watched<[Int32]>([])

    var handler: @Sendable (Int32) -> Void { { code in self.codes.append(code) } }

    /// Waits for the call, and checks its argument.
    func expect(_ code: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation) {
        expectEventually(codes, sourceLocation: sourceLocation) { !$0.isEmpty }
        #expect(codes.value == [code], sourceLocation: sourceLocation)
    }

    func expectSilence(sourceLocation: SourceLocation = #_sourceLocation) {
        expectStays(codes, at: [], sourceLocation: sourceLocation)
    }
}

/// All bytes of a file.
func contents(ofFile path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while true {
        let count = read(descriptor, &piece, piece.count)
        if count <= 0 { return bytes }
        bytes += piece[..<count]
    }
}

private let patternBlock = countingBytes(65_537)

/// `count` ascending bytes, which repeat at an offset where no buffer ends. Quick to create.
func patternBytes(_ count: Int) -> [UInt8] {
    let block = patternBlock
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + block.count)
    while bytes.count < count { bytes += block }
    return Array(bytes.prefix(count))
}

/// `count` bytes that are the same in each run.
func randomBytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
        withUnsafeBytes(of: generator.next()) { bytes += $0 }
    }
    return Array(bytes.prefix(count))
}

/// Waits until no operation, channel, descriptor or buffer of `DispatchIO` is alive. For suites
/// that run their tests one after the other.
func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) {
    func figures() -> [Int] {
        [
            IOStatistics.operations, IOStatistics.channels, IOStatistics.descriptors,
            IOStatistics.buffersInUse,
        ]
    }
    for _ in 0..<(Patience.seconds * 1000) where figures() != [0, 0, 0, 0] {
        letTimePass(milliseconds: 1)
    }
    #expect(
        figures() == [0, 0, 0, 0], "operations, channels, descriptors, buffers",
        sourceLocation: sourceLocation)
}
