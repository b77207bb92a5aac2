import Dispatch

// Every call of GCD on sources. Compiled, never run.

final class Events {
    private var count = 0
    private var timer: DispatchSourceTimer?
    private var sources: [DispatchSourceProtocol] = []
    private let queue = DispatchQueue(label: "events")

    /// Handlers may capture values that are not Sendable: they run on the source's queue.
    func start() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.count += 1 }
        timer.setCancelHandler { self.count = 0 }
        timer.setRegistrationHandler { print("registered") }
        timer.schedule(deadline: .now(), repeating: .seconds(1), leeway: .milliseconds(100))
        timer.resume()
        self.timer = timer
    }

    func stop() {
        timer?.setEventHandler {}
        timer?.setEventHandler(handler: nil)
        timer?.cancel()
        timer = nil
        sources.removeAll()
    }
}

func schedules(_ timer: DispatchSourceTimer, _ wall: DispatchWallTime) {
    timer.schedule(deadline: .now())
    timer.schedule(deadline: .now() + 1, leeway: .seconds(1))
    timer.schedule(deadline: .now(), repeating: 1)
    timer.schedule(deadline: .now(), repeating: 0.5, leeway: .never)
    timer.schedule(deadline: .now(), repeating: .never)
    timer.schedule(deadline: .distantFuture, repeating: .infinity)
    timer.schedule(wallDeadline: wall)
    timer.schedule(wallDeadline: .now() + 1, repeating: .milliseconds(500))
    timer.schedule(wallDeadline: wall, repeating: 1.5, leeway: .microseconds(1))
    timer.schedule(wallDeadline: wall, repeating: 2)
    timer.schedule(wallDeadline: wall, repeating: .never, leeway: .seconds(1))
    timer.schedule(wallDeadline: wall, leeway: .nanoseconds(1))
}

func make(_ queue: DispatchQueue) -> [DispatchSourceProtocol] {
    let read = DispatchSource.makeReadSource(fileDescriptor: 0, queue: queue)
    let write: DispatchSourceWrite = DispatchSource.makeWriteSource(fileDescriptor: 1)
    let timer = DispatchSource.makeTimerSource(flags: [.strict], queue: .main)
    let plain = DispatchSource.makeTimerSource()
    let add = DispatchSource.makeUserDataAddSource(queue: .main)
    let or = DispatchSource.makeUserDataOrSource()
    let replace = DispatchSource.makeUserDataReplaceSource(queue: nil)
    add.add(data: 1)
    or.or(data: 2)
    replace.replace(data: 3)
    read.setEventHandler { print(read.data, read.handle, read.mask) }
    (write as? DispatchSource)?.setTarget(queue: queue)
    return [read, write, timer, plain, add, or, replace]
}

func handle(_ source: DispatchSourceProtocol, _ item: DispatchWorkItem) -> UInt {
    source.setEventHandler(handler: item)
    source.setEventHandler(qos: .utility) {}
    source.setEventHandler(qos: .default, flags: .barrier, handler: {})
    source.setEventHandler(handler: nil)
    source.setCancelHandler(handler: item)
    source.setCancelHandler(flags: [], handler: {})
    source.setCancelHandler(flags: .barrier) {}
    source.setCancelHandler(qos: .default, flags: [], handler: nil)
    source.setRegistrationHandler(qos: .default, handler: nil)
    source.setRegistrationHandler(handler: item)
    source.setRegistrationHandler(qos: .background) {}
    let handler: DispatchSourceHandler = {}
    source.setEventHandler(handler: handler)
    source.activate()
    source.suspend()
    source.resume()
    source.cancel()
    return source.isCancelled ? source.data : source.handle + source.mask
}

@available(*, deprecated)
func oldSchedules(_ timer: DispatchSourceTimer, _ wall: DispatchWallTime) {
    timer.scheduleOneshot(deadline: .now())
    timer.scheduleOneshot(deadline: .now(), leeway: .seconds(1))
    timer.scheduleOneshot(wallDeadline: wall)
    timer.scheduleRepeating(deadline: .now(), interval: .seconds(1))
    timer.scheduleRepeating(deadline: .now(), interval: 1)
    timer.scheduleRepeating(wallDeadline: wall, interval: .seconds(1), leeway: .never)
    timer.scheduleRepeating(wallDeadline: wall, interval: 0.5)
}
