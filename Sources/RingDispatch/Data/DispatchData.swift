internal import LinuxPlatform

/// Bytes in one or more regions of memory, which are shared, not copied. `dispatch_data_t`.
///
/// A collection with value semantics: copies, parts (`subdata(in:)`) and concatenations share the
/// regions, and changing one value never changes another. The bytes of a region never move; its
/// deallocator runs when the last value, part and iterator that uses it is gone.
///
/// Reading a byte takes O(log *n*) for *n* regions, appending amortised O(1) per appended region,
/// and `subdata(in:)` O(*k*) for the *k* regions of the part. To read all bytes, iterate, or use
/// `enumerateBytes` or `regions`.
///
/// An index, range or count outside the data ends the process with a message.
public struct DispatchData: Sendable {
    // Invariants:
    // - No region is empty, except `first` in the empty value, which has no others.
    // - Each offset in `rest` is the sum of the counts before it.
    // - If `tailCapacity` is not 0, the last region starts at the start of memory with that
    //   capacity. No value uses the bytes behind the region; this value may, if it alone references
    //   the owner.
    @usableFromInline var first: DataRegion
    var rest: [DataPiece]

    /// The number of bytes. `dispatch_data_get_size`.
    public internal(set) var count: Int

    /// The capacity of the last region's memory, including the region; 0 if it cannot be extended
    /// in place.
    var tailCapacity: Int

    /// The value without bytes. `dispatch_data_empty`.
    public static var empty: DispatchData { DispatchData(.empty) }

    /// A value of one region; an empty one gives the empty value.
    init(_ region: DataRegion) {
        first = region
        rest = []
        count = region.count
        tailCapacity = 0
    }

    /// How memory that was not copied is freed.
    public enum Deallocator {
        /// By free(3).
        case free

        /// By munmap(2): the bytes are whole pages of a mapping.
        case unmap

        /// By a block, submitted to the queue (nil: the default global queue) once the memory is
        /// unused.
        case custom(DispatchQueue?, () -> Void)
    }

    /// Copies the bytes. `dispatch_data_create` with the default destructor.
    public init(bytes buffer: UnsafeRawBufferPointer) {
        guard buffer.baseAddress != nil, requireCount(buffer.count, "init(bytes:)") > 0 else {
            self.init(.empty)
            return
        }
        self.init(CopiedBytes.region(copying: buffer, capacity: buffer.count))
    }

    /// Uses memory without copying it. `dispatch_data_create`.
    ///
    /// The bytes must stay unchanged until the deallocator has run. It runs once, when the last
    /// user of the memory is gone: on that user's thread (`.free`, `.unmap`), or asynchronously on
    /// its queue (`.custom`). Without bytes it runs at once.
    public init(bytesNoCopy bytes: UnsafeRawBufferPointer, deallocator: Deallocator = .free) {
        guard let start = bytes.baseAddress,
            requireCount(bytes.count, "init(bytesNoCopy:deallocator:)") > 0
        else {
            deallocator.deallocate(bytes)
            self.init(.empty)
            return
        }
        let owner = ForeignBytes(bytes, deallocator)
        self.init(DataRegion(owner: owner, start: start, count: bytes.count))
    }

    /// A value over an object's memory, without copying: for example, an I/O buffer from a pool.
    /// - Parameter owner: keeps the bytes readable and unchanged until its last release, by the
    ///   last user of the bytes on any thread.
    package init(start: UnsafeRawPointer, count: Int, owner: some AnyObject & Sendable) {
        guard requireCount(count, "init(start:count:owner:)") > 0 else {
            self.init(.empty)
            return
        }
        self.init(DataRegion(owner: owner, start: start, count: count))
    }
}

// MARK: misuse

/// Traps if the count is negative.
@discardableResult
func requireCount(_ count: Int, _ function: StaticString) -> Int {
    if count >= 0 { return count }
    fatalMisuse("DispatchData.\(function): the count \(count) is negative")
}

extension DispatchData {
    func require(_ range: Range<Int>, _ function: StaticString) {
        if range.lowerBound >= 0 && range.upperBound <= count { return }
        fatalMisuse(
            "DispatchData.\(function): the range \(range) is out of bounds, the count is \(count)")
    }

    @inline(never)
    func trap(index: Int) -> Never {
        fatalMisuse("DispatchData: index \(index) is out of bounds, the count is \(count)")
    }
}
