/// GCD's names at the top level that RingDispatch has. A tidy test compares them with what the
/// library declares as public.
enum DispatchNames {
    static let types = [
        "DispatchConcurrentQueue",
        "DispatchGroup",
        "DispatchObject",
        "DispatchOnce",
        "DispatchPredicate",
        "DispatchQoS",
        "DispatchQueue",
        "DispatchSemaphore",
        "DispatchSerialQueue",
        "DispatchSource",
        "DispatchSourceHandler",
        "DispatchSourceProtocol",
        "DispatchSourceRead",
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
        "dispatch_time_t",
        "qos_class_t",
    ]

    /// Functions have no aliases: the generated file has functions that call the library's.
    static let functions = ["dispatchMain", "dispatchPrecondition"]

    /// Functions too. Files that see only the generated names need them.
    static let operators = ["+", "-"]
}
