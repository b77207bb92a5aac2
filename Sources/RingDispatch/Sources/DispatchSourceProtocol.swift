/// A handler of a source. Runs on the source's queue, never concurrently with itself.
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
