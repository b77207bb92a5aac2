internal import LinuxPlatform
internal import Synchronization

/// A descriptor used by channels. All channels of one descriptor number share one object, which
/// keeps their operations and barriers in order.
///
/// Operations of sockets, pipes and the like go to one of two `DescriptorSide`s. Those of files
/// become `FileTransfer`s.
final class IODescriptor: @unchecked Sendable {
    // Safety: the gate and the table's lock guard the fields marked so; what `opened` sets is set
    // before `phase` becomes open under the gate.
    /// Nil for a descriptor opened by the program.
    let path: IOPath?
    private let shownNumber: Atomic<Int32>

    // MARK: fixed once open
    @exclusivity(unchecked) private(set) var kind = DescriptorFacts.Kind.file
    /// The errno that makes it unusable; 0 if there is none.
    @exclusivity(unchecked) private(set) var error: Int32 = 0
    @exclusivity(unchecked) private var sides: (read: DescriptorSide, write: DescriptorSide)?

    // MARK: guarded by the table's lock
    @exclusivity(unchecked) private var users = 1
    /// Ended channels, whose cleanup waits for the other channels.
    @exclusivity(unchecked) private var finished: [IOChannel] = []
    /// Channels of a path, which fail if it cannot be opened.
    @exclusivity(unchecked) private var members: [IOChannel] = []

    // MARK: guarded by the gate
    let gate = Locked<Void>(())
    @exclusivity(unchecked) var phase = Phase.open
    /// Operations that have passed the gate and not ended.
    @exclusivity(unchecked) var active = 0
    /// Held operations and barriers, in order.
    @exclusivity(unchecked) var held: [Held] = []
    @exclusivity(unchecked) var isBarrierRunning = false
    /// A thread is starting held entries.
    @exclusivity(unchecked) var isReleasing = false
    @exclusivity(unchecked) var transfers: [FileTransfer] = []
    @exclusivity(unchecked) var streams = StreamOrder()

    /// How many of the two sides and the retiring thread the release still waits for. The last
    /// decrement (acquiring and releasing) calls the cleanup handlers.
    private let unquiet = Atomic<Int>(0)

    enum Phase {
        case unopened
        case opening
        case open
    }

    private init(number: Int32, path: IOPath?) {
        self.path = path
        shownNumber = Atomic(number)
        IOStatistics.liveDescriptors.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { IOStatistics.liveDescriptors.wrappingSubtract(1, ordering: .relaxed) }

    /// -1 until a path is open.
    var number: Int32 { shownNumber.load(ordering: .acquiring) }

    // MARK: the table

    private static let table = Locked<[Int32: IODescriptor]>([:])

    /// The object for a number, shared by all channels that use it.
    static func using(_ number: Int32) -> IODescriptor {
        table.withLock { table in
            if let known = table[number] {
                known.users += 1
                return known
            }
            let new = IODescriptor(number: number, path: nil)
            do throws(SystemError) {
                new.setKind(try DescriptorFacts(descriptor: number))
                table[number] = new
            } catch {
                new.error = error.code
            }
            return new
        }
    }

    static func forPath(_ path: IOPath) -> IODescriptor {
        let new = IODescriptor(number: -1, path: path)
        new.phase = .unopened
        return new
    }

    /// Adds a channel; false if the last one has already left.
    func join() -> Bool {
        IODescriptor.table.withLock { _ in
            if users > 0 { users += 1 }
            return users > 0
        }
    }

    /// Registers a path's channel, which fails if the path cannot be opened.
    func register(_ channel: IOChannel) {
        guard path != nil else { return }
        IODescriptor.table.withLock { _ in members.append(channel) }
    }

    /// Removes a channel that is over.
    func leave(_ channel: IOChannel, _ context: Context) {
        let isLast = IODescriptor.table.withLock { table -> Bool in
            users -= 1
            members.removeAll { $0 === channel }
            if !channel.isConvenience || users == 0 { finished.append(channel) }
            if users == 0, table[number] === self { table[number] = nil }
            return users == 0
        }
        if isLast {
            retire(context)
        } else if channel.isConvenience {
            channel.cleanUp()
        }
    }

    // MARK: opening

    private func setKind(_ facts: DescriptorFacts) {
        kind = facts.kind
        if facts.isDirectory { error = ErrorCode.isDirectory }
        guard kind != .file else { return }
        let stream = StreamDescriptor(number: number, isSocket: kind == .socket)
        sides = (
            DescriptorSide(.read, of: self, stream), DescriptorSide(.write, of: self, stream)
        )
    }

    /// Takes the result of opening the path: a descriptor or a negated errno.
    func opened(_ result: Int32, _ context: Context) {
        if result >= 0 {
            shownNumber.store(result, ordering: .releasing)
            do throws(SystemError) {
                let facts = try DescriptorFacts(descriptor: result)
                if facts.kind == .file { OpenFile.makeBlocking(result) }
                setKind(facts)
            } catch {
                self.error = error.code
            }
        } else {
            error = -result
        }
        if error != 0 { failMembers(error) }
        gate.withLock { _ in phase = .open }
        releaseHeld(context)
    }

    func failMembers(_ code: Int32) {
        let channels = IODescriptor.table.withLock { _ in members }
        for channel in channels { channel.fail(code) }
    }

    // MARK: running operations

    func start(_ operation: IOOperation, _ context: Context) {
        let isMisplaced = operation.channel.type == .random && kind != .file
        let failure = error != 0 ? error : isMisplaced ? ErrorCode.cannotSeek : 0
        if operation.abortCode != 0 || failure != 0 {
            operation.finish(failure != 0 ? failure : operation.abortCode, context)
        } else if let side = side(operation.direction) {
            side.enqueue(operation, context)
        } else {
            startTransfer(operation, context)
        }
    }

    private func side(_ direction: IOOperation.Direction) -> DescriptorSide? {
        direction == .read ? sides?.read : sides?.write
    }

    /// Runs the side or transfer of an operation that has changed.
    func wake(_ operation: IOOperation, _ context: Context) {
        guard gate.withLock({ _ in phase == .open }) else { return }
        if let side = side(operation.direction) {
            side.wake(context)
        } else {
            transfer(of: operation)?.wake(context)
        }
    }

    func sweep(_ context: Context) {
        // Before the path is open, all operations are held.
        let isOpen = gate.withLock { _ in phase == .open }
        if isOpen, let sides {
            sides.read.sweep(context)
            sides.write.sweep(context)
        }
        sweepTransfers(context)
        sweepHeld(context)
    }

    // MARK: release

    /// Called when the last channel is over. The cleanup handlers follow when the kernel has
    /// released the descriptor.
    private func retire(_ context: Context) {
        unquiet.store(3, ordering: .relaxed)
        for side in [sides?.read, sides?.write] {
            if let side, side.retire() { continue }
            sideIsQuiet(context)
        }
        sideIsQuiet(context)
    }

    func sideIsQuiet(_ context: Context) {
        guard unquiet.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
        else { return }
        sides?.read.stream.restore()
        sides?.write.stream.restore()
        // Breaks the reference cycle with the sides.
        sides = nil
        let channels = finished
        finished = []
        if path != nil, number >= 0 {
            // close(2) may block.
            DispatchQueue.global().submit { [number] in
                OpenFile.close(number)
                for channel in channels { channel.cleanUp() }
            }
        } else {
            for channel in channels { channel.cleanUp() }
        }
    }
}
