// A type that conforms to a source's protocol and omits a requirement does not compile.
import RingDispatch

/// Has all requirements of sources.
class Mock {
    func setEventHandler(handler: DispatchWorkItem) {}
    func setCancelHandler(handler: DispatchWorkItem) {}
    func setRegistrationHandler(handler: DispatchWorkItem) {}
    func setEventHandler(
        qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?
    ) {}
    func setCancelHandler(
        qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?
    ) {}
    func setRegistrationHandler(
        qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?
    ) {}
    func activate() {}
    func suspend() {}
    func resume() {}
    func cancel() {}
    var handle: UInt { 0 }
    var mask: UInt { 0 }
    var data: UInt { 0 }
    var isCancelled: Bool { false }
}

class Source: Mock, DispatchSourceRead, @unchecked Sendable {}

final class Timer: Mock, DispatchSourceTimer, @unchecked Sendable {
    func schedule(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval
    ) {}
    func schedule(
        deadline: DispatchTime, repeating interval: Double, leeway: DispatchTimeInterval
    ) {}
    func schedule(
        wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval
    ) {}
    func schedule(
        wallDeadline: DispatchWallTime, repeating interval: Double, leeway: DispatchTimeInterval
    ) {}
}

final class WithoutSchedule: Mock, DispatchSourceTimer, @unchecked Sendable {}  // error

final class WithoutHandlers: DispatchSourceRead {  // error
    func setEventHandler(handler: DispatchWorkItem) {}
    func setCancelHandler(handler: DispatchWorkItem) {}
    func setRegistrationHandler(handler: DispatchWorkItem) {}
    func activate() {}
    func suspend() {}
    func resume() {}
    func cancel() {}
    var handle: UInt { 0 }
    var mask: UInt { 0 }
    var data: UInt { 0 }
    var isCancelled: Bool { false }
}
