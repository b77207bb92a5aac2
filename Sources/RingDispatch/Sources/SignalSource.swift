internal import Synchronization

/// A signal source: reports how often a signal was delivered.
final class SignalSource: MergingSource {
    let number: Int32

    init(number: Int32, queue: DispatchQueue?) {
        self.number = number
        super.init(queue: queue, hasKernelEvents: true)
    }

    override var handle: UInt { UInt(number) }
    override var purpose: String { "signal source of signal \(number)" }

    /// The reader reports all deliveries from now on, so the source stays armed.
    override func arm(_ context: Context) -> Bool {
        SharedSignalReader.shared.add(self)
        return true
    }

    override func detach() {
        if current.isArmed { SharedSignalReader.shared.remove(self) }
    }

    /// Called by the reader. Returns whether the source must be woken.
    func add(_ deliveries: UInt) -> Bool {
        pending.wrappingAdd(deliveries, ordering: .acquiringAndReleasing).oldValue == 0
    }
}
