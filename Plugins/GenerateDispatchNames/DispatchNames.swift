/// The top-level names of GCD that RingDispatch declares. A tidy test compares them with the
/// library's public declarations.
enum DispatchNames {
    static let types = [
        "DispatchConcurrentQueue",
        "DispatchData",
        "DispatchDataIterator",
        "DispatchGroup",
        "DispatchIO",
        "DispatchObject",
        "DispatchOnce",
        "DispatchPredicate",
        "DispatchQoS",
        "DispatchQueue",
        "DispatchRuntime",
        "DispatchScheduledItem",
        "DispatchSemaphore",
        "DispatchSerialQueue",
        "DispatchSource",
        "DispatchSourceFileSystemObject",
        "DispatchSourceHandler",
        "DispatchSourceProcess",
        "DispatchSourceProtocol",
        "DispatchSourceRead",
        "DispatchSourceSignal",
        "DispatchSourceTimer",
        "DispatchSourceUserDataAdd",
        "DispatchSourceUserDataOr",
        "DispatchSourceUserDataReplace",
        "DispatchSourceWrite",
        "DispatchSpecificKey",
        "DispatchTime",
        "DispatchTimeInterval",
        "DispatchTimeoutResult",
        "DispatchWallTime",
        "DispatchWorkItem",
        "DispatchWorkItemFlags",
        "ErrorNumber",
        "FileSystemWatchError",
        "dispatch_block_t",
        "dispatch_fd_t",
        "dispatch_group_t",
        "dispatch_object_t",
        "dispatch_queue_concurrent_t",
        "dispatch_queue_serial_t",
        "dispatch_queue_t",
        "dispatch_semaphore_t",
        "dispatch_time_t",
        "qos_class_t",
    ]

    /// The generated file forwards these, since Swift has no aliases for functions.
    static let functions = ["dispatchMain", "dispatchPrecondition"]

    /// Constants have no aliases either. Swift does not import libdispatch's, so nothing hides
    /// these.
    static let constants = ["NSEC_PER_MSEC", "NSEC_PER_SEC", "NSEC_PER_USEC", "USEC_PER_SEC"]

    /// Forwarded like functions. Files that see only the generated names need them.
    static let operators = ["+", "-"]
}
