internal import CSimulation
internal import Glibc
internal import RingDispatch

/// One end of a pair: its descriptor, and threads that use channels of it.
final class ChannelEnd: @unchecked Sendable {
    let descriptor: Int32
    /// Nil if the end cannot read, or write.
    private let input: ByteStream?
    private let output: ByteStream?
    /// Stops all its channels at last, so it ends even if its peer is silent.
    let stops: Bool
    unowned var peer: ChannelEnd!
    /// Set before the descriptor is closed.
    private(set) var isClosed = false
    /// All operations have ended.
    private var isFinished = false
    /// The threads are to end.
    private var isEnding = false
    private var running = 0
    private var channels: [TestedChannel] = []
    private var operations: [TestedOperation] = []
    private var barriers: [Barrier] = []
    private var submissions = 0

    private final class Barrier: @unchecked Sendable {
        let number: Int
        var isAccepted = false
        var isDone = false
        init(_ number: Int) { self.number = number }
    }

    init(_ descriptor: Int32, input: ByteStream?, output: ByteStream?, stops: Bool) {
        self.descriptor = descriptor
        self.input = input
        self.output = output
        self.stops = stops
        if oneIn(4) { setNonBlocking(descriptor) }
    }

    func run() {
        for _ in 1...(stops ? random(1...24) : 1) {
            isEnding = false
            if stops && input != nil && !oneIn(3) { stopReader() } else { runThreads() }
            isEnding = true
            endChannels()
            waitForThreads()
            endChannels()
            if stops { waitForCleanups() }
        }
        finish()
    }

    /// A read begins to wait. The channel is to be stopped right then, however slow the thread is.
    private func stopReader() {
        let before = submissions
        running = 1
        startThread { [self] in
            read(open())
            running -= 1
        }
        while running > 0 && submissions == before { compute(1...1) }
        compute(0...[60, 500, 3_000][random(0...2)])
    }

    /// Threads use channels. They may not have ended yet on return.
    private func runThreads() {
        running = random(1...3)
        for _ in 0..<running {
            startThread { [self] in
                for _ in 0..<random(1...(stops ? 6 : 16)) where !isEnding { act() }
                running -= 1
            }
        }
        switch random(1...3) {
        case 1: compute(0...500)
        case 2: pause(1...1_000)
        default: waitForThreads()
        }
    }

    private func waitForThreads() { wait(until: { running == 0 }, "\(running) threads") }

    // MARK: actions

    private func act() {
        switch random(1...18) {
        case 1...5: read(anyChannel())
        case 6...10: write(anyChannel())
        case 11...13: barrier(anyChannel())
        case 14: if oneIn(2) { read(nil) } else { write(nil) }
        case 15: open()
        case 16, 17: endChannel(anyChannel())
        default: pause(1...800)
        }
    }

    @discardableResult
    private func open() -> TestedChannel {
        let base = exclusively { channels.last }
        let channel = TestedChannel(of: self, sharing: oneIn(2) ? base : nil)
        exclusively { channels.append(channel) }
        return channel
    }

    /// An open channel if there is one; seldom another one.
    private func anyChannel() -> TestedChannel {
        let found = exclusively {
            let open = channels.filter { !$0.isOver || oneIn(20) }
            return open.isEmpty ? nil : open[random(0...open.count - 1)]
        }
        return found ?? open()
    }

    private func read(_ channel: TestedChannel?) {
        guard let input else { return }
        submit(TestedOperation(isRead: true, of: self, channel), input, input.readTurn)
    }

    private func write(_ channel: TestedChannel?) {
        guard let output, !output.isSilent else { return }
        submit(TestedOperation(isRead: false, of: self, channel), output, output.writeTurn)
    }

    /// In a handler: the next operation.
    func follow(_ operation: TestedOperation) {
        if operation.isRead { read(operation.channel) } else { write(operation.channel) }
    }

    private func submit(
        _ operation: TestedOperation, _ stream: ByteStream, _ turn: DispatchSemaphore
    ) {
        turn.wait()
        exclusively {
            submissions += 1
            operation.number = submissions
            operations.append(operation)
            stream.add(operation)
        }
        operation.submit()
        turn.signal()
    }

    private func endChannel(_ channel: TestedChannel) {
        channel.end(TestedChannel.Ending.allCases[random(0...(stops ? 1 : 2))])
    }

    // MARK: barriers

    private func barrier(_ channel: TestedChannel) {
        input?.readTurn.wait()
        output?.writeTurn.wait()
        let barrier = exclusively {
            submissions += 1
            barriers.append(Barrier(submissions))
            return barriers[barriers.count - 1]
        }
        if let io = channel.io {
            io.barrier { [self] in pass(barrier) }
            barrier.isAccepted = !channel.isOver
        } else {
            barrier.isDone = true
        }
        output?.writeTurn.signal()
        input?.readTurn.signal()
    }

    private func pass(_ barrier: Barrier) {
        note("barrier", barrier.number)
        require(!barrier.isDone, "a barrier runs twice")
        if barrier.isAccepted {
            let isFirst = exclusively {
                operations.allSatisfy {
                    $0.number > barrier.number || $0.isDone || !$0.isAccepted || $0.channel == nil
                }
            }
            require(isFirst, "a barrier before the end of an earlier operation")
        }
        if oneIn(2) { pause(1...500) }
        barrier.isDone = true
    }

    func requireBarriersDone(before operation: TestedOperation) {
        let isDone = exclusively {
            barriers.allSatisfy {
                $0.number > operation.number || $0.isDone || !$0.isAccepted
            }
        }
        require(isDone || !operation.isAccepted, "an operation before the end of a barrier")
    }

    // MARK: the end

    func accepted(of channel: TestedChannel) -> [TestedOperation] {
        exclusively { operations.filter { $0.channel === channel && $0.isAccepted } }
    }

    private func endChannels() {
        for channel in exclusively({ channels }) {
            if stops { channel.end(.stop) } else { endChannel(channel) }
        }
    }

    private func waitForCleanups() {
        wait(
            seconds: stops ? 5 : 20,
            until: { exclusively { channels.allSatisfy { $0.cleanups > 0 } } },
            "a cleanup handler of descriptor \(descriptor)")
    }

    /// Waits for all handlers, and closes the descriptor.
    private func finish() {
        waitForCleanups()
        wait(
            until: {
                exclusively { operations.allSatisfy(\.isDone) && barriers.allSatisfy(\.isDone) }
            }, "a handler of descriptor \(descriptor)")
        for channel in channels {
            require(channel.cleanups == 1, "\(channel.cleanups) cleanup handlers")
            channel.end(.release)
        }
        isFinished = true
        // Its peer must end without the event that this descriptor is closed.
        if !stops && oneIn(2) { wait(until: { peer.isFinished }, "the peer") }
        input?.drain(descriptor, isWhole: peer.isFinished)
        isClosed = true
        close(descriptor)
    }
}
