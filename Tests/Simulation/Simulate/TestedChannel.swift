internal import CSimulation
internal import Glibc
internal import RingDispatch

/// A channel whose cleanup handler is counted.
final class TestedChannel: @unchecked Sendable {
    enum Ending: CaseIterable {
        case close
        case stop
        /// Releases the channel without closing it.
        case release
    }

    private(set) var io: DispatchIO?
    private(set) var cleanups = 0
    /// Set before the channel is closed.
    private var isClosing = false
    /// The channel whose descriptor this one shares.
    private let base: TestedChannel?
    let lowWater = oneIn(3) ? random(0...2_000) : 1
    let highWater = oneIn(3) ? random(2_000...4_000) : Int.max
    /// Handlers are called at an interval, with any number of bytes.
    let isStrict = oneIn(6)

    init(of end: ChannelEnd, sharing base: TestedChannel?) {
        self.base = base?.io == nil ? nil : base
        let cleanup: (Int32) -> Void = { [self] error in
            note("cleanup handler", Int(end.descriptor))
            require(isOver, "the cleanup handler of an open channel")
            require(
                error == 0 || error == ECANCELED && self.base?.isOver == true,
                "a cleanup handler with error \(error)")
            require(
                end.accepted(of: self).allSatisfy(\.isDone),
                "a cleanup handler before the last handler call")
            cleanups += 1
        }
        if let shared = self.base?.io {
            io = DispatchIO(type: .stream, io: shared, queue: anyQueue(), cleanupHandler: cleanup)
        } else {
            io = DispatchIO(
                type: .stream, fileDescriptor: end.descriptor, queue: anyQueue(),
                cleanupHandler: cleanup)
        }
        if highWater < .max { io?.setLimit(highWater: highWater) }
        if lowWater != 1 { io?.setLimit(lowWater: lowWater) }
        if isStrict {
            io?.setInterval(interval: .microseconds(random(200...2_000)), flags: .strictInterval)
        }
    }

    /// Whether operations may be refused.
    var isOver: Bool { isClosing || base?.isOver == true }

    func end(_ ending: Ending) {
        note("end a channel", ending == .stop ? 1 : 0)
        isClosing = true
        switch ending {
        case .close: io?.close()
        case .stop: io?.close(flags: .stop)
        case .release: io = nil
        }
    }
}

/// A queue for handlers.
func anyQueue() -> DispatchQueue {
    switch random(1...3) {
    case 1: .global()
    case 2: DispatchQueue(label: "concurrent", attributes: .concurrent)
    default: DispatchQueue(label: "serial")
    }
}
