internal import LinuxPlatform
internal import Synchronization

/// A descriptor used by channels. All channels of one descriptor number share one object, which
/// keeps their operations and barriers in order.
///
/// Operations of sockets, pipes and the like go to one of two `DescriptorSide`s. Those of files
/// become `FileTransfer`s.
final class IODescriptor: Sendable {
    /// Nil for a descriptor opened by the program.
    let path: IOPath?
    private let shownNumber: Atomic<Int32>

    /// Belongs to the thread that opens the descriptor until it opens the gate; then constant.
    private let facts = Confined(
        (kind: DescriptorFacts.Kind.file, error: Int32(0), size: Int64(0)))

    /// The file still has the O_NONBLOCK that its path was opened with. The store after fcntl(2)
    /// (releasing) pairs with the load before a request (acquiring).
    private let mustClearNonBlocking = Atomic<Bool>(false)

    private struct Sides {
        let read: DescriptorSide
        let write: DescriptorSide
    }
    /// Set while the descriptor is open, unless it is a file's.
    private let sides = Locked<Sides?>(nil)

    private struct Channels {
        var users = 1
        /// Channels that use the descriptor, and ended ones, whose cleanup waits for the others.
        var all: [IOChannel] = []

        /// True if it was the last one.
        mutating func remove(_ channel: IOChannel?) -> Bool {
            users -= 1
            if let channel, channel.isConvenience && users == 0 { all.append(channel) }
            return users == 0
        }
    }
    /// Locked inside the table's lock, or alone.
    private let channels = Locked(Channels())

    struct Transfers {
        /// By operation.
        var running: [ObjectIdentifier: FileTransfer] = [:]
        /// It is a path's, and no transfer has begun.
        var isUntouched: Bool
        var streams = StreamOrder()
    }
    let transfers: Locked<Transfers>
    let gate: Locked<IOGate>

    /// How many of the two sides and the retiring thread the release still waits for. The last
    /// decrement (acquiring and releasing) calls the cleanup handlers.
    private let unquiet = Atomic<Int>(0)

    init(number: Int32, path: IOPath?) {
        self.path = path
        transfers = Locked(Transfers(isUntouched: path != nil))
        gate = Locked(IOGate(path == nil ? .open : .unopened))
        shownNumber = Atomic(number)
        IOStatistics.liveDescriptors.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { IOStatistics.liveDescriptors.wrappingSubtract(1, ordering: .relaxed) }

    /// -1 until a path is open.
    var number: Int32 { shownNumber.load(ordering: .acquiring) }
    var kind: DescriptorFacts.Kind { facts.value.kind }
    /// The errno that makes it unusable; 0 if there is none.
    var error: Int32 { facts.value.error }
    /// The bytes of a regular file when its path was opened; otherwise 0.
    var sizeAtOpening: Int64 { facts.value.size }

    // MARK: the table

    private static let table = Locked<[Int32: IODescriptor]>([:])

    /// The object for a number, shared by all channels that use it.
    static func using(_ number: Int32) -> IODescriptor {
        // Outside of the lock: a file system that does not answer holds up this channel only.
        let facts = Result { () throws(SystemError) in try DescriptorFacts(descriptor: number) }
        return table.withLock { table in
            if let known = table[number] {
                known.channels.withLock { $0.users += 1 }
                return known
            }
            let new = IODescriptor(number: number, path: nil)
            switch facts {
            case .success(let facts):
                new.setKind(facts)
                table[number] = new
            case .failure(let error):
                new.facts.value.error = error.code
            }
            return new
        }
    }

    /// Adds a channel; false if the last one has already left.
    func join() -> Bool {
        channels.withLock { channels in
            if channels.users > 0 { channels.users += 1 }
            return channels.users > 0
        }
    }

    /// Keeps a channel until its cleanup.
    func register(_ channel: IOChannel) { channels.withLock { $0.all.append(channel) } }

    /// Removes a channel that is over.
    func leave(_ channel: IOChannel) {
        let isLast = IODescriptor.table.withLock { table in
            let isLast = channels.withLock { $0.remove(channel) }
            if isLast, table[number] === self { table[number] = nil }
            return isLast
        }
        if isLast {
            retire()
        } else if channel.isConvenience {
            channel.cleanUp()
        }
    }

    // MARK: opening

    private func setKind(_ found: DescriptorFacts) {
        facts.value.kind = found.kind
        if found.isDirectory { facts.value.error = ErrorCode.isDirectory }
        guard found.kind != .file else { return }
        let stream = StreamDescriptor(number: number, isSocket: found.kind == .socket)
        let new = Sides(
            read: DescriptorSide(.read, of: self, stream),
            write: DescriptorSide(.write, of: self, stream))
        sides.withLock { $0 = new }
    }

    /// Takes the result of opening the path: a descriptor or a negated errno.
    func opened(_ result: Int32) {
        if result >= 0 {
            shownNumber.store(result, ordering: .releasing)
            do throws(SystemError) {
                let found = try DescriptorFacts(descriptor: result)
                mustClearNonBlocking.store(found.kind == .file, ordering: .relaxed)
                facts.value.size = found.size
                setKind(found)
            } catch {
                facts.value.error = error.code
            }
        } else {
            facts.value.error = -result
        }
        if error != 0 { failChannels(error) }
        gate.withLock { $0.open() }
        releaseHeld()
        if kind != .file { failRandomChannels() }
        if channels.withLock({ $0.remove(nil) }) { retire() }
    }

    /// Lets requests wait. With O_NONBLOCK, io_uring fails one whose bytes are not in the page
    /// cache.
    func clearNonBlocking() {
        guard mustClearNonBlocking.load(ordering: .acquiring) else { return }
        Descriptors.setNonBlocking(number, false)
        mustClearNonBlocking.store(false, ordering: .releasing)
    }

    private func failRandomChannels() {
        for channel in channels.withLock({ $0.all }) where channel.type == .random {
            channel.failSeeking()
        }
    }

    func failChannels(_ code: Int32) {
        for channel in channels.withLock({ $0.all }) { channel.fail(code) }
    }

    // MARK: running operations

    func start(_ operation: IOOperation) {
        let failure = failure(of: operation)
        if operation.abortCode != 0 || failure != 0 {
            touch()
            operation.finish(failure != 0 ? failure : operation.abortCode)
        } else if let side = side(operation.direction) {
            side.enqueue(operation)
        } else {
            startTransfer(operation)
        }
    }

    /// The error with which an operation ends at once; 0 if it may run.
    private func failure(of operation: IOOperation) -> Int32 {
        if error != 0 || operation.channel.type == .stream { return error }
        if kind != .file { return ErrorCode.cannotSeek }
        // As pread(2) and pwrite(2) report a place before the file's start.
        return operation.offset < -operation.channel.base ? ErrorCode.invalid : 0
    }

    private func side(_ direction: IOOperation.Direction) -> DescriptorSide? {
        sides.withLock { direction == .read ? $0?.read : $0?.write }
    }

    /// Runs the side or transfer of an operation that has changed.
    func wake(_ operation: IOOperation) {
        if let side = side(operation.direction) {
            side.wake()
        } else {
            transfers.withLock { $0.running[ObjectIdentifier(operation)] }?.wake()
        }
    }

    func sweep() {
        if let sides = sides.withLock({ $0 }) {
            sides.read.sweep()
            sides.write.sweep()
        }
        sweepTransfers()
        sweepHeld()
    }

    // MARK: release

    /// Called when the last channel is over. The cleanup handlers follow when the kernel has
    /// released the descriptor.
    private func retire() {
        unquiet.store(3, ordering: .relaxed)
        let sides = sides.withLock { $0 }
        if sides?.read.retire() != true { sideIsQuiet() }
        if sides?.write.retire() != true { sideIsQuiet() }
        sideIsQuiet()
    }

    func sideIsQuiet() {
        guard unquiet.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
        else { return }
        // Breaks the reference cycle with the sides.
        let sides = sides.withLock { $0.take() }
        sides?.read.restore()
        sides?.write.restore()
        let channels = channels.withLock { exchange(&$0.all, with: []) }
        // close(2) may block after writes.
        if path?.isWritten ?? false {
            DispatchQueue.global().submit { [self] in end(channels) }
        } else {
            end(channels)
        }
    }

    private func end(_ channels: [IOChannel]) {
        if path != nil, number >= 0 { Descriptors.close(number) }
        for channel in channels { channel.cleanUp() }
    }
}
