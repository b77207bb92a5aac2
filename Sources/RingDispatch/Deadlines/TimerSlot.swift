/// A timer in a heap: its window, and the object that it notifies.
struct TimerSlot: Sendable {
    // Safety: `object` is a reference that the slot owns; it moves with it.
    let window: TimerWindow
    /// Nil after removal.
    private nonisolated(unsafe) var object: UnsafeRawPointer?
    private let detail: UInt
    /// Lives as long as the process.
    private let action: Unmanaged<TimerAction>

    @inline(__always)
    var isEmpty: Bool { object == nil }

    /// Removes the object. The window stays to keep the heap's order.
    mutating func empty() { object = nil }

    /// - Parameters:
    ///   - object: retained.
    ///   - detail: what `action` needs besides the object.
    ///   - action: a global constant.
    init(_ window: TimerWindow, _ object: AnyObject, detail: UInt = 0, action: TimerAction) {
        self.window = window
        self.object = UnsafeRawPointer(Unmanaged.passRetained(object).toOpaque())
        self.detail = detail
        self.action = .passUnretained(action)
    }

    /// Notifies the object, and consumes the reference. The slot has left the heap.
    func fire(_ context: Context) {
        guard let object else { return }
        action._withUnsafeGuaranteedRef { $0.fire(object, detail, context) }
    }

    /// Releases the object of a slot that was removed before its time.
    func drop() {
        if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
    }

    /// Tells the object the slot's index. Called under the heap's lock.
    @inline(__always)
    func noteIndex(_ index: Int) {
        guard let object else { return }
        action._withUnsafeGuaranteedRef { $0.noteIndex?(object, index) }
    }
}
