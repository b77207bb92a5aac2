import Dispatch
import Glibc

// Every call of GCD on work items, groups, semaphores, QoS and times. Compiled, never run.

func items(_ queue: DispatchQueue) -> Bool {
    let item = DispatchWorkItem {}
    let other = DispatchWorkItem(qos: .utility, flags: [.barrier, .enforceQoS]) { print("item") }
    let third = DispatchWorkItem(flags: .inheritQoS, block: {})
    let fourth = DispatchWorkItem(block: function)
    var again: DispatchWorkItem?
    again = DispatchWorkItem { [weak queue] in queue?.async {} }
    item.perform()
    item.notify(queue: .main) {}
    item.notify(qos: .default, flags: .barrier, queue: queue) {}
    item.notify(queue: queue, execute: other)
    item.notify(queue: queue, execute: {})
    item.wait()
    if item.wait(timeout: .now() + 1) == .timedOut { item.cancel() }
    _ = item.wait(wallTimeout: .now() + .seconds(1))
    switch third.wait(timeout: .distantFuture) {
    case .success: return true
    case .timedOut: break
    }
    again?.cancel()
    return item.isCancelled || fourth.isCancelled
}

func groups(_ queue: DispatchQueue, _ item: DispatchWorkItem) -> DispatchTimeoutResult {
    let group = DispatchGroup()
    group.enter()
    queue.async { group.leave() }
    queue.async {
        defer { group.leave() }
        print("under way")
    }
    group.notify(queue: .main) {}
    group.notify(queue: queue, execute: {})
    group.notify(qos: .background, flags: [], queue: queue) {}
    group.notify(queue: queue, work: item)
    group.wait()
    guard group.wait(timeout: .now() + .milliseconds(10)) == .success else { return .timedOut }
    return group.wait(wallTimeout: DispatchWallTime.now() + 1.5)
}

func semaphores() -> Int {
    let semaphore = DispatchSemaphore(value: 0)
    semaphore.signal()
    semaphore.wait()
    if case .timedOut = semaphore.wait(timeout: .now()) { print("no") }
    _ = semaphore.wait(timeout: DispatchTime.now() + DispatchTimeInterval.seconds(1))
    _ = semaphore.wait(wallTimeout: .distantFuture)
    return semaphore.signal()
}

func qualities() -> [DispatchQoS] {
    let classes: [DispatchQoS.QoSClass] = [
        .background, .utility, .default, .userInitiated, .userInteractive, .unspecified,
    ]
    let set: Set<DispatchQoS.QoSClass> = [.default]
    var flags: DispatchWorkItemFlags = [.noQoS]
    flags.insert(.detached)
    precondition(flags.rawValue != 0 && flags.contains(.noQoS) && set.count == 1)
    precondition(DispatchQoS.default == DispatchQoS(qosClass: .default, relativePriority: 0))
    return classes.map { DispatchQoS(qosClass: $0, relativePriority: -1) } + [
        .background, .utility, .default, .userInitiated, .userInteractive, .unspecified,
    ]
}

func times(_ interval: DispatchTimeInterval = .never) -> Bool {
    let now = DispatchTime.now()
    let later: DispatchTime = .now() + 1
    let earlier = now - 0.5 - .microseconds(3) + .nanoseconds(5)
    let seconds: Double = 2
    var moving = now + seconds
    moving = moving + .seconds(1)
    let elapsed = Double(later.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000_000
    let fixed = DispatchTime(uptimeNanoseconds: 1_000)
    let wall = DispatchWallTime.now() + 60 - 1.5 + .seconds(1) - .milliseconds(20)
    let date = DispatchWallTime(timespec: .init(tv_sec: 1, tv_nsec: 0))
    switch interval {
    case .seconds(let count), .milliseconds(let count): print(count)
    case .microseconds, .nanoseconds, .never: break
    #if LIBDISPATCH
    @unknown default: break
    #endif
    }
    return now < later && earlier <= now && moving > now && max(now, later) == later
        && fixed == DispatchTime(uptimeNanoseconds: 1_000) && fixed.rawValue > 0
        && DispatchTime.distantFuture > now && date < wall && wall != DispatchWallTime.distantFuture
        && elapsed > 0 && interval != .seconds(1) && wall.rawValue != date.rawValue
}
