internal import LinuxPlatform
internal import Synchronization

extension WallClock {
    /// Acts as if the clock had been set: for tests.
    package static func adjust(by nanoseconds: Int64) {
        adjustment.wrappingAdd(nanoseconds, ordering: .relaxed)
        wasSet()
    }

    /// Makes sleeping loops recompute their deadlines whenever the clock is set.
    static func watchSteps() { _ = watch }

    /// Learns when the clock is set from a timerfd(2) with TFD_TIMER_CANCEL_ON_SET, which never
    /// fires otherwise. Begins with the first wall-clock timer.
    private static let watch: any DispatchSourceRead = {
        let steps = StepDescriptor.shared
        let queue = DispatchQueue(label: "ringdispatch.clock")
        let source = DispatchSource.makeReadSource(fileDescriptor: steps.number, queue: queue)
        source.setEventHandler {
            steps.takeStep()
            WallClock.wasSet()
        }
        source.activate()
        return source
    }()

    static func wasSet() {
        steps.wrappingAdd(1, ordering: .sequentiallyConsistent)
        for loop in Runtime.shared.pool.loops { loop.wake() }
    }
}
