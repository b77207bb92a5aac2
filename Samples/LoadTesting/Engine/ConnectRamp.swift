internal import RingDispatch

/// Starts connections, some at a time or at a rate. Runs on its shard's queue.
final class ConnectRamp {
    /// Concurrent attempts: overflowing a listener's backlog delays clients by seconds.
    private static let mostUnderWay = 64
    private static let tick = DispatchTimeInterval.milliseconds(2)

    private let count: Int
    private let perSecond: Double?
    private let connect: (Int) -> Void
    /// Nil without a rate.
    private let timer: (any DispatchSourceTimer)?
    private var begun = 0
    private var startNanoseconds: UInt64 = 0

    /// - Parameter connect: receives the connection's number, from 0.
    init(
        count: Int, perSecond: Double?, queue: DispatchQueue, connect: @escaping (Int) -> Void
    ) {
        self.count = count
        self.perSecond = perSecond
        self.connect = connect
        timer = perSecond.map { _ in DispatchSource.makeTimerSource(queue: queue) }
    }

    func start() {
        guard let timer else {
            for _ in 0..<min(Self.mostUnderWay, count) { begin() }
            return
        }
        startNanoseconds = DispatchTime.now().uptimeNanoseconds
        // Safety: the handler runs on the shard's queue, like everything else here.
        nonisolated(unsafe) let ramp = self
        timer.setEventHandler { ramp.beginDue() }
        timer.schedule(deadline: .now(), repeating: Self.tick)
        timer.activate()
    }

    /// Call when a connection is established, or has failed.
    func ended() { if timer == nil, begun < count { begin() } }

    func cancel() { timer?.cancel() }

    private func begin() {
        begun += 1
        connect(begun - 1)
    }

    private func beginDue() {
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - startNanoseconds) / 1e9
        let due = min(count, 1 + Int(min(seconds * (perSecond ?? 0), Double(count))))
        while begun < due { begin() }
        if begun == count { cancel() }
    }
}
