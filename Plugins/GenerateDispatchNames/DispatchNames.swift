/// GCD's names at the top level that RingDispatch has. A tidy test compares them with what the
/// library declares as public.
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

    /// Functions have no aliases: the generated file has functions that call the library's.
    static let functions = ["dispatchMain", "dispatchPrecondition"]

    /// They have no aliases either. libdispatch keeps them from Swift, so that nothing hides them.
    static let constants = ["NSEC_PER_MSEC", "NSEC_PER_SEC", "NSEC_PER_USEC", "USEC_PER_SEC"]

    /// Functions too. Files that see only the generated names need them.
    static let operators = ["+", "-"]
}
