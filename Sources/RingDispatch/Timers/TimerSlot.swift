/// A timer in a heap: its window, and the object that it notifies.
struct TimerSlot: @unchecked Sendable {
    // Safety: the addresses are references that the slot owns; they move with it.
    let window: TimerWindow
    /// An object's address, with its kind in the low bits; 0 after removal.
    private var target: UInt
    /// A queue's work item, or the number of a source's schedule.
    private let detail: UInt

    private static let kindMask: UInt = 3
    private static let queueKind: UInt = 0
    private static let sourceKind: UInt = 1
    private static let itemKind: UInt = 2

    @inline(__always)
    var isEmpty: Bool { target == 0 }

    /// Removes the object. The window stays to keep the heap's order.
    mutating func empty() { target = 0 }

    /// Submits a work item to a queue.
    init(_ window: TimerWindow, queue: DispatchQueue, workItem: WorkItemPointer) {
        self.window = window
        target = UInt(bitPattern: Unmanaged.passRetained(queue).toOpaque())
        detail = UInt(bitPattern: workItem)
    }

    /// Notifies a source that its schedule with this number is due.
    init(_ window: TimerWindow, source: TimerSource, schedule: UInt) {
        self.window = window
        target = UInt(bitPattern: Unmanaged.passRetained(source).toOpaque()) | TimerSlot.sourceKind
        detail = schedule
    }

    init(_ window: TimerWindow, item: DispatchScheduledItem) {
        self.window = window
        target = UInt(bitPattern: Unmanaged.passRetained(item).toOpaque()) | TimerSlot.itemKind
        detail = 0
    }

    private var address: UnsafeRawPointer {
        guard let address = UnsafeRawPointer(bitPattern: target & ~TimerSlot.kindMask) else {
            preconditionFailure("the timer slot is empty")
        }
        return address
    }

    /// Notifies the object, and consumes the reference. The slot has left the heap.
    func fire(_ context: Context) {
        switch target & TimerSlot.kindMask {
        case TimerSlot.queueKind:
            guard let workItem = WorkItemPointer(bitPattern: detail) else { return }
            Unmanaged<DispatchQueue>.fromOpaque(address).takeRetainedValue().push(workItem, context)
        case TimerSlot.sourceKind:
            TimerSource.fired(.fromOpaque(address), schedule: detail, context)
        default:
            Unmanaged<DispatchScheduledItem>.fromOpaque(address).takeRetainedValue().fired()
        }
    }

    /// Releases the object of a slot that was removed before its time. Not for queues.
    func drop() {
        Unmanaged<AnyObject>.fromOpaque(address).release()
    }

    /// Stores the slot's index (-1: none) in its object. Called under the heap's lock.
    @inline(__always)
    func noteIndex(_ index: Int) {
        if isEmpty { return }
        switch target & TimerSlot.kindMask {
        case TimerSlot.queueKind: break
        case TimerSlot.sourceKind:
            Unmanaged<TimerSource>.fromOpaque(address)._withUnsafeGuaranteedRef {
                $0.timerIndex = index
            }
        default:
            Unmanaged<DispatchScheduledItem>.fromOpaque(address)._withUnsafeGuaranteedRef {
                $0.timerIndex = index
            }
        }
    }
}
