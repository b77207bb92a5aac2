/// The top-level names that RingDispatch declares, by what the generated file does with them. A
/// tidy test compares them with the library's public declarations.
enum DispatchNames {
    /// The generated file has aliases for these, since libdispatch on Linux has them, too.
    static let types = [
        "DispatchData",
        "DispatchDataIterator",
        "DispatchGroup",
        "DispatchIO",
        "DispatchObject",
        "DispatchPredicate",
        "DispatchQoS",
        "DispatchQueue",
        "DispatchSemaphore",
        "DispatchSource",
        "DispatchSourceHandler",
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
    ]

    /// The generated file forwards these, since Swift has no aliases for functions.
    static let functions = ["dispatchMain", "dispatchPrecondition"]

    /// Forwarded like functions. Files that see only the generated names need them.
    static let operators = ["+", "-"]

    /// These have no aliases: libdispatch on Linux does not have them, so nothing hides the
    /// library's, and a module may declare its own.
    static let others = [
        "DispatchConcurrentQueue",
        "DispatchOnce",
        "DispatchRuntime",
        "DispatchScheduledItem",
        "DispatchSerialQueue",
        "DispatchSourceFileSystemObject",
        "DispatchSourceProcess",
        "ErrorNumber",
        "FileSystemWatchError",
        "NSEC_PER_MSEC",
        "NSEC_PER_SEC",
        "NSEC_PER_USEC",
        "USEC_PER_SEC",
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
}
