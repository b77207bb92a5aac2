internal import Synchronization

extension DispatchQueue {
    /// The loop that keeps a timer of this queue. All timers of a serial queue have the same one,
    /// so that they fire in order.
    final func timerLoop(_ context: Context) -> EventLoop {
        let usual = Runtime.shared.pool.loop(for: context)
        guard kind == .serial || kind == .main else { return usual }
        var number = timerLoopNumber.load(ordering: .relaxed)
        if number == 0 {
            let (exchanged, original) = timerLoopNumber.compareExchange(
                expected: 0, desired: UInt16(usual.index) + 1, ordering: .relaxed)
            if exchanged { return usual }
            number = original
        }
        return Runtime.shared.loop(number: Int(number) - 1)
    }
}
