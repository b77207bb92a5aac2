/// A handler of a source. Runs on the source's queue, never beside itself.
public typealias DispatchSourceHandler = () -> Void

/// What all sources have in common. `dispatch_source_t`.
///
/// A source is made inactive; set its handlers, then `activate()`. Handlers are kept until the
/// source is cancelled.
public protocol DispatchSourceProtocol: AnyObject, Sendable {
    /// Sets the block that runs when something happened. `dispatch_source_set_event_handler`.
    func setEventHandler(
        qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
    func setEventHandler(handler: DispatchWorkItem)

    /// Sets the block that runs once, after a cancel, when the kernel has let go of the descriptor
    /// and the last event handler has returned: there it is safe to close the descriptor.
    /// `dispatch_source_set_cancel_handler`.
    func setCancelHandler(
        qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
    func setCancelHandler(handler: DispatchWorkItem)

    /// Sets the block that runs once when the source has begun to watch, before any event.
    /// `dispatch_source_set_registration_handler`.
    func setRegistrationHandler(
        qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
    func setRegistrationHandler(handler: DispatchWorkItem)

    /// Starts the source. `dispatch_activate`.
    func activate()
    /// Keeps further events from the handler; they merge until the last `resume()`.
    /// `dispatch_suspend`.
    func suspend()
    /// Takes one `suspend()` back, or activates. `dispatch_resume`.
    func resume()
    /// No event handler starts any more; the cancel handler follows. `dispatch_source_cancel`.
    func cancel()

    /// What is watched: a descriptor. `dispatch_source_get_handle`.
    var handle: UInt { get }
    /// Which events are asked for. `dispatch_source_get_mask`.
    var mask: UInt { get }
    /// What happened since the handler's last call; for use in the handler.
    /// `dispatch_source_get_data`.
    var data: UInt { get }
    /// Whether `cancel()` was called. `dispatch_source_testcancel`.
    var isCancelled: Bool { get }
}

extension DispatchSourceProtocol {
    public func setEventHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        handler: DispatchSourceHandler?
    ) {
        setEventHandler(qos: qos, flags: flags, handler: handler)
    }

    public func setCancelHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        handler: DispatchSourceHandler?
    ) {
        setCancelHandler(qos: qos, flags: flags, handler: handler)
    }

    public func setRegistrationHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        handler: DispatchSourceHandler?
    ) {
        setRegistrationHandler(qos: qos, flags: flags, handler: handler)
    }
}

/// `data` is the count of bytes that can be read; 0 at the end. `DISPATCH_SOURCE_TYPE_READ`.
public protocol DispatchSourceRead: DispatchSourceProtocol {}

/// `data` is the room for writing, in bytes. `DISPATCH_SOURCE_TYPE_WRITE`.
public protocol DispatchSourceWrite: DispatchSourceProtocol {}

/// `data` is the sum of what was added. `DISPATCH_SOURCE_TYPE_DATA_ADD`.
public protocol DispatchSourceUserDataAdd: DispatchSourceProtocol {
    /// Adds to what the handler is told. `dispatch_source_merge_data`.
    func add(data: UInt)
}

/// `data` is the or of what was merged. `DISPATCH_SOURCE_TYPE_DATA_OR`.
public protocol DispatchSourceUserDataOr: DispatchSourceProtocol {
    /// Ors into what the handler is told. `dispatch_source_merge_data`.
    func or(data: UInt)
}

/// `data` is what was given last. `DISPATCH_SOURCE_TYPE_DATA_REPLACE`.
public protocol DispatchSourceUserDataReplace: DispatchSourceProtocol {
    /// Replaces what the handler is told. `dispatch_source_merge_data`.
    func replace(data: UInt)
}

/// `data` is how often the time came. `DISPATCH_SOURCE_TYPE_TIMER`.
public protocol DispatchSourceTimer: DispatchSourceProtocol {
    /// Sets or replaces the schedule; what came due under the old one is dropped.
    /// `dispatch_source_set_timer`.
    /// - Parameters:
    ///   - deadline: the first time; repeats keep to its rhythm.
    ///   - interval: time between fires; `.never`: one fire only.
    ///   - leeway: how much later each may come, so that timers fire together.
    func schedule(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval)
    func schedule(deadline: DispatchTime, repeating interval: Double, leeway: DispatchTimeInterval)
    func schedule(
        wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval)
    func schedule(
        wallDeadline: DispatchWallTime, repeating interval: Double, leeway: DispatchTimeInterval)
}

extension DispatchSourceTimer {
    public func schedule(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(deadline: deadline, repeating: interval, leeway: leeway)
    }

    public func schedule(
        deadline: DispatchTime, repeating interval: Double,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(deadline: deadline, repeating: interval, leeway: leeway)
    }

    public func schedule(
        wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval = .never,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway)
    }

    public func schedule(
        wallDeadline: DispatchWallTime, repeating interval: Double,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway)
    }
}
