extension DispatchSource {
    /// Deliveries of signals to the process, for `for await`.
    ///
    /// From this call on, all deliveries count, and the signals' default actions are replaced, as
    /// by ``makeSignalSource(signal:queue:)``. That ends when the last copy of the sequence and of
    /// its iterators is released. The sequence ends when the task is cancelled. Deliveries that
    /// happen before the task asks again are one element with their number, for each signal.
    /// - Parameter numbers: `SIGTERM`, for example.
    public static func signals(_ numbers: Int32...) -> EventSequence<Signal> {
        signals(numbers)
    }

    package static func signals(_ numbers: [Int32]) -> EventSequence<Signal> {
        EventSequence(
            events: SourceEvents(label: "ringdispatch.signal-sequence") { queue in
                numbers.map { makeSignalSource(signal: $0, queue: queue) }
            } add: { signals, source in
                let number = Int32(truncatingIfNeeded: source.handle)
                var all = signals ?? []
                if let index = all.firstIndex(where: { $0.number == number }) {
                    all[index].count += source.data
                } else {
                    all.append(Signal(number: number, count: source.data))
                }
                signals = all
            })
    }

    /// An element of ``signals(_:)``.
    public struct Signal: Sendable, Hashable {
        /// The signal.
        public let number: Int32
        /// How often it was delivered since the last element about it, at least 1.
        public internal(set) var count: UInt
    }
}
