/// A handler of a source. Runs on the source's queue, never concurrently with itself.
public typealias DispatchSourceHandler = () -> Void

/// The operations that all sources share. `dispatch_source_t`.
///
/// A source is made inactive: set its handlers, then call `activate()`. It keeps its handlers until
/// it is cancelled. The parameters `qos` and `flags` of the handlers have no effect.
public protocol DispatchSourceProtocol: AnyObject, Sendable {
    /// Sets the block that runs for each event. `dispatch_source_set_event_handler`.
    func setEventHandler(
        qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
    /// Runs the work item for each event, until the item is cancelled. The item's `wait` and
    /// `notify` refer to the first event.
    func setEventHandler(handler: DispatchWorkItem)

    /// Sets the block that runs once after a cancel, when the last event handler has returned and
    /// the kernel no longer uses the descriptor: the place to close it.
    /// `dispatch_source_set_cancel_handler`.
    func setCancelHandler(
        qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
    /// Runs the work item once after a cancel; see ``setCancelHandler(qos:flags:handler:)``. If the
    /// item is cancelled itself, it is skipped.
    func setCancelHandler(handler: DispatchWorkItem)

    /// Sets the block that runs once when the source is installed, before any event.
    /// `dispatch_source_set_registration_handler`.
    func setRegistrationHandler(
        qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
    /// Runs the work item once when the source is installed, unless the item is cancelled.
    func setRegistrationHandler(handler: DispatchWorkItem)

    /// Starts the source. If it has an event handler, events count from this call on, while it is
    /// suspended, too. `dispatch_activate`.
    func activate()
    /// Stops event handlers until the matching `resume()`. Events merge meanwhile.
    /// `dispatch_suspend`.
    func suspend()
    /// Undoes one `suspend()`, or activates an inactive source. `dispatch_resume`.
    func resume()
    /// Stops event handlers for good; the cancel handler follows. A handler that is running or
    /// starting on another thread still ends. A source that is inactive or suspended calls its
    /// cancel handler once it is activated and resumed. A second call does nothing.
    /// `dispatch_source_cancel`.
    func cancel()

    /// The watched descriptor, process or signal. `dispatch_source_get_handle`.
    var handle: UInt { get }
    /// The requested events. `dispatch_source_get_mask`.
    var mask: UInt { get }
    /// The events since the handler's last call. Valid in the handler. `dispatch_source_get_data`.
    var data: UInt { get }
    /// Whether `cancel()` was called. `dispatch_source_testcancel`.
    var isCancelled: Bool { get }
}

/// The forms without all parameters. None has a requirement's signature: a type that conforms and
/// omits a requirement would call itself.
extension DispatchSourceProtocol {
    /// Sets the block that runs for each event.
    public func setEventHandler(
        qos: DispatchQoS = .unspecified, handler: DispatchSourceHandler?
    ) {
        setEventHandler(qos: qos, flags: [], handler: handler)
    }

    /// Sets the block that runs for each event.
    public func setEventHandler(
        flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?
    ) {
        setEventHandler(qos: .unspecified, flags: flags, handler: handler)
    }

    /// Sets the block that runs once after a cancel.
    public func setCancelHandler(
        qos: DispatchQoS = .unspecified, handler: DispatchSourceHandler?
    ) {
        setCancelHandler(qos: qos, flags: [], handler: handler)
    }

    /// Sets the block that runs once after a cancel.
    public func setCancelHandler(
        flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?
    ) {
        setCancelHandler(qos: .unspecified, flags: flags, handler: handler)
    }

    /// Sets the block that runs once when the source is installed.
    public func setRegistrationHandler(
        qos: DispatchQoS = .unspecified, handler: DispatchSourceHandler?
    ) {
        setRegistrationHandler(qos: qos, flags: [], handler: handler)
    }

    /// Sets the block that runs once when the source is installed.
    public func setRegistrationHandler(
        flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?
    ) {
        setRegistrationHandler(qos: .unspecified, flags: flags, handler: handler)
    }
}
