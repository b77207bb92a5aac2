internal import LinuxPlatform

/// Bytes in one or more regions of memory, which are shared and not copied. `dispatch_data_t`.
///
/// A collection of bytes with value semantics: copies, parts (`subdata(in:)`) and concatenations
/// share the regions, and changing one value never changes another. The bytes of a region never
/// move. A region's memory goes back, by its deallocator, when the last value, part and iterator
/// over it is gone.
///
/// Reading a byte takes O(log *n*) for *n* regions, appending amortised O(1) for each region that
/// is appended, and `subdata(in:)` O(*k*) for the *k* regions of the part. Iterate, or use
/// `enumerateBytes` or `regions`, to read all bytes.
///
/// An index, a range or a count outside of the data ends the process with a message.
public struct DispatchData: Sendable {
    // What always holds:
    // - No region is empty but `first` in the empty value, which has no others.
    // - The offsets in `rest` are the sums of the counts before.
    // - `tailCapacity` is 0, or that of the memory that the last region begins at the start of.
    //   Then the bytes behind the region belong to no value, and to this one if it alone holds the
    //   owner.
    @usableFromInline var first: DataRegion
    var rest: [DataPiece]

    /// The number of bytes. `dispatch_data_get_size`.
    public internal(set) var count: Int

    /// How many bytes have room in the memory of the last region, the region's own among them;
    /// 0 where nothing may be appended in place.
    var tailCapacity: Int

    /// The value without bytes. `dispatch_data_empty`.
    public static var empty: DispatchData { DispatchData(.empty) }

    /// A value of one region, or none.
    init(_ region: DataRegion) {
        first = region
        rest = []
        count = region.count
        tailCapacity = 0
    }

    /// How memory that was not copied goes back.
    public enum Deallocator {
        /// By free(3).
        case free

        /// By munmap(2): the bytes are whole pages of a mapping.
        case unmap

        /// By a block, which is submitted to the queue, or to the default global queue, once
        /// nobody uses the memory any more.
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

    /// Takes memory over, without copying. `dispatch_data_create`.
    ///
    /// The bytes must stay unchanged until the deallocator has run. It runs exactly once: when the
    /// last user of the memory is gone, on that user's thread (`.free`, `.unmap`) or asynchronously
    /// on its queue (`.custom`). Without bytes to keep, it runs at once.
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

    /// A value over memory of an object, without copying: an I/O buffer from a pool, for example.
    /// - Parameter owner: keeps the bytes readable and unchanged until its last reference goes,
    ///   which happens when the last user of the bytes is gone, on any thread.
    package init(start: UnsafeRawPointer, count: Int, owner: some AnyObject & Sendable) {
        guard requireCount(count, "init(start:count:owner:)") > 0 else {
            self.init(.empty)
            return
        }
        self.init(DataRegion(owner: owner, start: start, count: count))
    }
}

// MARK: misuse

/// The count, which must not be negative.
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
