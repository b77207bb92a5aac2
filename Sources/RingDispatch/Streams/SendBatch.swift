internal import LinuxPlatform
internal import Synchronization

/// Short sends of a loop's connections, which one system call passes to the kernel.
///
/// The worker that holds the loop adds sends. They also leave when the batch is full. A stream
/// whose bytes did not all leave gets an event, and takes the rest back; until then nothing else of
/// it is sent.
final class SendBatch: OutgoingBatch, @unchecked Sendable {
    // Safety: `lock` guards the plain fields, and the streams' fields that say so.
    private let lock = Locked<Void>(())
    private let ring: SendRing
    private let memory = PageMemory.allocate(Tuning.batchBytes)
    private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: SendRing.capacity)
    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var used = 0
    /// The number of the batch that is being collected.
    @exclusivity(unchecked) private var number: UInt64 = 1

    private struct Entry {
        /// Lives until it has settled.
        let stream: Unmanaged<StreamSocket>
        let offset: Int
        var count: Int
    }

    private init(_ ring: SendRing) {
        self.ring = ring
        super.init()
        _ = SendBatch.submitsAllAtExit
    }

    /// A handler may send and then end the process. Registered once: a handler of the program that
    /// was registered later may still send.
    private static let submitsAllAtExit: Void = Processes.atExit {
        for loop in Runtime.shared.pool.loops {
            loop.sendBatch?._withUnsafeGuaranteedRef { $0.submit() }
        }
    }

    /// Held while a loop's batch is made.
    private static let making = Locked<Void>(())
    private static let shortage = RepeatedLine()

    /// Makes the batch of a loop. Nil where io_uring is refused, or short of something for now.
    static func make(for loop: EventLoop) -> Unmanaged<SendBatch>? {
        if loop.outputRetry == .max { return nil }
        let now = MonotonicClock.nanoseconds()
        if now < loop.outputRetry { return nil }
        making.withLock { _ in
            if loop.output != nil { return }
            do throws(SystemError) {
                if let ring = try Runtime.shared.backend.makeSendRing() {
                    loop.setOutput(SendBatch(ring))
                } else {
                    loop.outputRetry = .max
                }
            } catch {
                loop.outputRetry = now &+ Tuning.ringRetry
                shortage.log("connections send without io_uring for now: \(error)")
            }
        }
        return loop.sendBatch
    }

    // MARK: for the worker

    /// Adds bytes of a stream that has none in another loop's batch. Returns false if earlier bytes
    /// of the stream were not sent.
    func add(_ bytes: UnsafeRawBufferPointer, of stream: StreamSocket) -> Bool {
        lock.withLock { _ in
            if stream.confined.batch != nil {
                if stream.confined.batchNumber == number {
                    if extend(with: bytes, of: stream) { return true }
                    submitLocked()
                }
                if stream.confined.unsent != nil { return false }
            }
            if count == SendRing.capacity || used + bytes.count > Tuning.batchBytes {
                submitLocked()
            }
            stream.confined.batch = .passUnretained(self)
            stream.confined.batchNumber = number
            entries[count] = Entry(
                stream: .passUnretained(stream), offset: used, count: bytes.count)
            if count == 0 { start.store(Ticks.now(), ordering: .sequentiallyConsistent) }
            count += 1
            append(bytes)
            return true
        }
    }

    /// Adds bytes to the stream's entry, if that is the last one.
    private func extend(with bytes: UnsafeRawBufferPointer, of stream: StreamSocket) -> Bool {
        let last = count - 1
        guard entries[last].stream.toOpaque() == Unmanaged.passUnretained(stream).toOpaque(),
            used + bytes.count <= Tuning.batchBytes
        else { return false }
        used = entries[last].offset + entries[last].count
        entries[last].count += bytes.count
        append(bytes)
        return true
    }

    private func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(start: memory + used, count: bytes.count).copyMemory(
            from: bytes)
        // Entries begin at a cache line.
        used = (used + bytes.count + 63) & ~63
    }

    // MARK: from any thread

    override func submit() { lock.withLock { _ in submitLocked() } }

    /// Sends what the stream has in the batch. Afterwards the stream has nothing in it, and
    /// `unsent` are the bytes that the kernel did not take. On the stream's queue.
    func settle(_ stream: StreamSocket) {
        lock.withLock { _ in
            if stream.confined.batchNumber == number { submitLocked() }
            stream.confined.batch = nil
        }
    }

    private func submitLocked() {
        guard count > 0 else { return }
        if count == 1 {
            // A single send costs less without the ring.
            let result = Sockets.send(descriptor(0), bytes(0))
            if result < bytes(0).count { failed(0, result) }
        } else {
            for index in 0..<count { ring.prepare(descriptor(index), bytes(index), index: index) }
            ring.submit { failed($0, Int($1)) }
        }
        count(sends: count)
        count = 0
        used = 0
        number &+= 1
        start.store(0, ordering: .releasing)
    }

    /// - Parameter result: the number of bytes that the kernel has taken, or a negated errno, which
    ///   the next send reports again.
    private func failed(_ index: Int, _ result: Int) {
        if result > 0 { countShortSend() }
        let rest = bytes(index).dropFirst(max(0, result))
        entries[index].stream._withUnsafeGuaranteedRef { $0.sendFailed(Array(rest)) }
    }

    private func descriptor(_ index: Int) -> Int32 {
        entries[index].stream._withUnsafeGuaranteedRef { $0.descriptor }
    }

    private func bytes(_ index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory + entries[index].offset, count: entries[index].count)
    }
}

extension EventLoop {
    /// Nil where io_uring is refused.
    @inline(__always)
    var sendBatch: Unmanaged<SendBatch>? {
        // Safety: `SendBatch.make` makes all batches.
        output.map { .fromOpaque($0.toOpaque()) }
    }
}
