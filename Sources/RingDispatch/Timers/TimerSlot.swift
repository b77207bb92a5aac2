/// One timer as a heap stores it: its window, and the object that it notifies.
struct TimerSlot: @unchecked Sendable {
    // Safety: the addresses stand for references that belong to the slot and move with it.
    let window: TimerWindow
    /// An address, and in its low bits which kind of object; 0: the timer was taken out.
    private var target: UInt
    /// A queue's: the work item to submit. A source's: the schedule that it stands for.
    private let detail: UInt

    private static let kindMask: UInt = 3
    private static let queueKind: UInt = 0
    private static let sourceKind: UInt = 1
    private static let itemKind: UInt = 2

    @inline(__always)
    var isEmpty: Bool { target == 0 }

    /// The timer was taken out: only the window is left, which keeps the heap's order.
    mutating func empty() { target = 0 }

    /// Submits the work item to the queue.
    init(_ window: TimerWindow, queue: DispatchQueue, workItem: WorkItemPointer) {
        self.window = window
        target = UInt(bitPattern: Unmanaged.passRetained(queue).toOpaque())
        detail = UInt(bitPattern: workItem)
    }

    /// Tells the source that the schedule with this number has come due.
    init(_ window: TimerWindow, source: TimerSource, schedule: UInt) {
        self.window = window
        target = UInt(bitPattern: Unmanaged.passRetained(source).toOpaque()) | TimerSlot.sourceKind
        detail = schedule
    }

    /// Submits the item.
    init(_ window: TimerWindow, item: DispatchScheduledItem) {
        self.window = window
        target = UInt(bitPattern: Unmanaged.passRetained(item).toOpaque()) | TimerSlot.itemKind
        detail = 0
    }

    private var address: UnsafeRawPointer {
        guard let address = UnsafeRawPointer(bitPattern: target & ~TimerSlot.kindMask) else {
            preconditionFailure("a slot has an object")
        }
        return address
    }

    /// The time has come: the slot has left its heap, and is used up.
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

    /// The slot was taken out before its time: lets go of its object. Not for a queue's.
    func drop() {
        Unmanaged<AnyObject>.fromOpaque(address).release()
    }

    /// Tells the object its place in the heap, -1 for none. Under the heap's lock.
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
