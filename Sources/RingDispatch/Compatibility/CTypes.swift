/// GCD's C names for its types, as in Darwin's SDK.
public typealias dispatch_object_t = DispatchObject
/// A queue of any kind.
public typealias dispatch_queue_t = DispatchQueue
/// A queue that runs one item at a time.
public typealias dispatch_queue_serial_t = DispatchSerialQueue
/// A queue that runs several items at the same time.
public typealias dispatch_queue_concurrent_t = DispatchConcurrentQueue
/// A set of items to wait for.
public typealias dispatch_group_t = DispatchGroup
/// A counting semaphore.
public typealias dispatch_semaphore_t = DispatchSemaphore
/// A block submitted to a queue.
public typealias dispatch_block_t = () -> Void
/// A file descriptor.
public typealias dispatch_fd_t = Int32

/// Nanoseconds in a second. This constant and the next three are from `dispatch/time.h`.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// Nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// Nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
/// Microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000
