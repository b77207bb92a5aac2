internal import Ring

/// What waits at a descriptor's gate.
enum Held: Sendable {
    case operation(IOOperation)
    case barrier(IOBarrier)
}

/// A barrier's block, and the queue it runs on.
struct IOBarrier: @unchecked Sendable {
    // Safety: called once.
    let channel: IOChannel?
    let queue: DispatchQueue
    let block: () -> Void

    func submit(_ completion: @escaping @Sendable () -> Void) {
        queue.submit {
            block()
            completion()
        }
    }
}

// Barriers, and the time before a path is open: operations pass the gate in order, or are held.
extension IODescriptor {
    func submit(_ operation: IOOperation, _ context: Context) {
        let (passes, mustOpen) = gate.withLock { _ -> (Bool, Bool) in
            if isOpen {
                active += 1
                return (true, false)
            }
            return (false, hold(.operation(operation)))
        }
        if passes { start(operation, context) }
        if mustOpen { open(context) }
    }

    func submit(_ barrier: IOBarrier, _ context: Context) {
        let mustOpen = gate.withLock { _ in hold(.barrier(barrier)) }
        if mustOpen { open(context) } else { releaseHeld(context) }
    }

    /// Under the gate.
    private var isOpen: Bool {
        phase == .open && held.isEmpty && !isBarrierRunning && !isReleasing
    }

    /// Under the gate: true when the caller is to open the path.
    private func hold(_ new: Held) -> Bool {
        held.append(new)
        guard phase == .unopened else { return false }
        phase = .opening
        return true
    }

    private func open(_ context: Context) {
        guard let path else { return }
        OpenOperation(path, for: self).start(context)
    }

    /// An operation has ended: its handler has returned.
    func useEnded(_ context: Context) {
        let mustRelease = gate.withLock { _ -> Bool in
            active -= 1
            return active == 0 && !held.isEmpty
        }
        if mustRelease { releaseHeld(context) }
    }

    /// Lets through what nothing holds back any more, one thread at a time to keep the order.
    func releaseHeld(_ context: Context) {
        while let next = gate.withLock({ _ in nextHeld() }) {
            switch next {
            case .operation(let operation):
                start(operation, context)
            case .barrier(let barrier):
                barrier.submit { [self] in barrierEnded(barrier) }
            }
            gate.withLock { _ in isReleasing = false }
        }
    }

    /// Under the gate.
    private func nextHeld() -> Held? {
        guard phase == .open, !isBarrierRunning, !isReleasing, let first = held.first
        else { return nil }
        switch first {
        case .operation:
            active += 1
        case .barrier:
            guard active == 0 else { return nil }
            isBarrierRunning = true
        }
        held.removeFirst()
        isReleasing = true
        return first
    }

    private func barrierEnded(_ barrier: IOBarrier) {
        gate.withLock { _ in isBarrierRunning = false }
        releaseHeld(Context.current)
        barrier.channel?.barrierEnded()
    }

    /// Ends those early that are to end early.
    func sweepHeld(_ context: Context) {
        let aborted = gate.withLock { _ -> [IOOperation] in
            var aborted: [IOOperation] = []
            held.removeAll { entry in
                guard case .operation(let operation) = entry, operation.abortCode != 0
                else { return false }
                aborted.append(operation)
                return true
            }
            active += aborted.count
            return aborted
        }
        for operation in aborted { operation.finish(operation.abortCode, context) }
    }
}

/// A path of a channel, and how to open it.
final class IOPath: @unchecked Sendable {
    // Safety: nothing changes after `init`.
    private let bytes: ContiguousArray<CChar>
    let flags: Int32
    let mode: UInt32

    init(_ path: UnsafePointer<CChar>, flags: Int32, mode: UInt32) {
        var bytes = ContiguousArray<CChar>()
        var index = 0
        while path[index] != 0 {
            bytes.append(path[index])
            index += 1
        }
        bytes.append(0)
        self.bytes = bytes
        self.flags = flags
        self.mode = mode
    }

    var isAbsolute: Bool { bytes[0] == CChar(UInt8(ascii: "/")) }

    /// The address stays as long as the object does.
    var start: UnsafePointer<CChar> {
        // Safety: a constant array's elements lie in one heap object, which never moves.
        bytes.withUnsafeBufferPointer { $0.baseAddress! }
    }

    /// An error that can be foretold: the path leads nowhere, or to a directory.
    func findError() -> Int32 {
        do throws(KernelError) {
            let facts = try DescriptorFacts(path: start, openFlags: flags)
            return facts.isDirectory ? ErrorCode.isDirectory : 0
        } catch {
            // Whether the file can be made shows when it is.
            return DescriptorFacts.creates(flags) ? 0 : error.code
        }
    }
}

/// Opens a path; the descriptor that asks for it goes on then.
private final class OpenOperation: FileOperation, @unchecked Sendable {
    // Safety: nothing changes after `init`.
    private let descriptor: IODescriptor
    private let path: IOPath

    init(_ path: IOPath, for descriptor: IODescriptor) {
        self.path = path
        self.descriptor = descriptor
        super.init(
            FileRequest(
                .open(
                    path.start, flags: DescriptorFacts.completed(path.flags), mode: path.mode)))
    }

    override func completed(result: Int32, _ context: Context) {
        descriptor.opened(result, context)
    }
}
