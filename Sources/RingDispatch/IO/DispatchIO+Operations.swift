internal import LinuxPlatform

extension DispatchIO {
    /// Reads up to `length` bytes. `dispatch_io_read`.
    ///
    /// The handler's calls run on `queue`, one at a time: any number with `done` false and some
    /// bytes, then one with `done` true. The last call has the last bytes if all were read; empty
    /// data at the end of the file; nil with an error (an errno; ECANCELED after `close`). Bytes
    /// read before an error are delivered first.
    ///
    /// A slow handler holds the operation and later reads back: at most about 256 KiB wait for it,
    /// and less when the process's channels together are 8 MiB ahead of their handlers.
    /// - Parameters:
    ///   - offset: for a random channel, relative to the descriptor's position when the channel was
    ///     created; before the start of the file, the operation ends with EINVAL. Ignored for a
    ///     stream.
    ///   - length: `.max` reads to the end, as does -1, the bits of C's `SIZE_MAX`. Other negative
    ///     numbers end the process.
    ///   - queue: any queue; a concurrent one does not run two of these calls at once either.
    ///   - deadline: delivers the bytes read by then, and ends the operation with ETIMEDOUT. An
    ///     extension to GCD.
    ///   - ioHandler: released after its last call.
    public func read(
        offset: Int, length: Int, queue: DispatchQueue, deadline: DispatchTime = .distantFuture,
        ioHandler: @escaping (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void
    ) {
        let length = size(length, "read: the length")
        submit(
            IOOperation(
                .read, channel: core, offset: Int64(offset), length: length, queue: queue,
                handler: ioHandler), deadline)
    }

    /// Writes all of the data, without copying it. `dispatch_io_write`.
    ///
    /// The handler runs on `queue` as for `read`. With `done` false it has the unwritten bytes,
    /// after each MiB unless the water marks say otherwise; at last it has nil, or the unwritten
    /// bytes and an error. EPIPE: the reading end is closed.
    public func write(
        offset: Int, data: DispatchData, queue: DispatchQueue,
        deadline: DispatchTime = .distantFuture,
        ioHandler: @escaping (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void
    ) {
        submit(
            IOOperation(
                .write, channel: core, offset: Int64(offset), length: data.count, data: data,
                queue: queue, handler: ioHandler), deadline)
    }

    private func submit(_ operation: IOOperation, _ deadline: DispatchTime) {
        let failure = core.begin()
        guard failure == 0 else { return operation.refuse(failure) }
        operation.startTimers(deadline)
        enter(.operation(operation))
    }

    /// Runs a block after all operations submitted earlier to any channel of the descriptor,
    /// including their handlers, and before those submitted later. `dispatch_io_barrier`.
    ///
    /// The block runs on the channel's target, by default the default global queue. It may use
    /// `fileDescriptor`, for example for fsync(2).
    public func barrier(execute: @escaping () -> Void) {
        let queue = core.barrierQueue.withLock { $0 } ?? DispatchQueue.global()
        let block = IOHandler(execute)
        guard core.begin(evenIfClosed: true) == 0 else { return queue.submit { block.call() } }
        enter(.barrier(IOBarrier(channel: core, queue: queue, block: block)))
    }

    /// The descriptor; -1 if the channel is closed or its path is not open yet.
    /// `dispatch_io_get_descriptor`.
    public var fileDescriptor: Int32 {
        core.failure == 0 ? core.descriptor.number : -1
    }

    /// Closes the channel: operations submitted later end with ECANCELED. Earlier ones continue, or
    /// with `.stop` soon end with ECANCELED and the bytes transferred so far. Operations that a
    /// suspended channel holds end after `resume`. Barriers still run. `close(flags: .stop)` may
    /// follow `close()`; other further calls do nothing. `dispatch_io_close`.
    public func close(flags: CloseFlags = []) {
        core.close(isStop: flags.contains(.stop))
    }

    /// Sets the maximum bytes per handler call, for operations submitted later. 0 counts as 1, and
    /// -1 as `.max`; other negative numbers end the process. By default, no limit.
    /// `dispatch_io_set_high_water`.
    public func setLimit(highWater: Int) {
        let highWater = size(highWater, "setLimit: the high water mark")
        core.limits.withLock { limits in
            limits.high = max(1, highWater)
            if let low = limits.low, low > highWater { limits.low = highWater }
        }
    }

    /// Sets the minimum bytes per handler call except the last, for operations submitted later.
    /// Negative numbers count as for the high water mark. `dispatch_io_set_low_water`.
    ///
    /// By default a read delivers available bytes at once (GCD would wait for 1 MiB or more), and a
    /// write reports each MiB.
    public func setLimit(lowWater: Int) {
        let lowWater = size(lowWater, "setLimit: the low water mark")
        core.limits.withLock { limits in
            limits.low = lowWater
            limits.high = max(limits.high, lowWater)
        }
    }

    /// Calls handlers at an interval if the available bytes reach the low water mark or the
    /// interval is strict. Applies to operations submitted later. 0 and `.never`: no interval. A
    /// negative one ends the process. `dispatch_io_set_interval`.
    public func setInterval(interval: DispatchTimeInterval, flags: IntervalFlags = []) {
        let nanoseconds = interval.clampedNanoseconds
        guard nanoseconds >= 0 else {
            fatalMisuse("DispatchIO.setInterval: the interval \(interval) is negative")
        }
        core.limits.withLock { limits in
            limits.interval = nanoseconds == 0 ? .never : interval
            limits.isStrict = flags.contains(.strictInterval)
        }
    }
}

/// A number of bytes, which in GCD is a `size_t`: programs pass `Int(bitPattern: SIZE_MAX)`, -1.
private func size(_ size: Int, _ what: StaticString) -> Int {
    if size < -1 { fatalMisuse("DispatchIO.\(what) \(size) is negative") }
    return size == -1 ? .max : size
}

// MARK: convenience operations

extension DispatchIO {
    /// Reads available bytes, at most `maxLength`, as soon as there are any. `dispatch_read`.
    ///
    /// A file is read up to `maxLength` bytes or its end. Empty data means that the end was reached
    /// before.
    /// - Parameters:
    ///   - fromFileDescriptor: stays the caller's; do not close it before the handler runs.
    ///   - maxLength: in bytes; -1 counts as `.max`.
    ///   - queue: runs the handler.
    ///   - deadline: when to give up with ETIMEDOUT. An extension to GCD.
    ///   - handler: called once, on `queue`, with the bytes and 0 or an errno, after this read has
    ///     released the descriptor.
    public class func read(
        fromFileDescriptor: Int32, maxLength: Int, runningHandlerOn queue: DispatchQueue,
        deadline: DispatchTime = .distantFuture,
        handler: @escaping (_ data: DispatchData, _ error: Int32) -> Void
    ) {
        let maxLength = size(maxLength, "read: the length")
        let channel = IOChannel(.stream, IODescriptor.using(fromFileDescriptor), cleanup: nil)
        IOOperation(.read, channel: channel, length: maxLength, queue: queue) { _, data, error in
            handler(data ?? .empty, error)
        }.runAlone(deadline)
    }

    /// Writes all of the data. `dispatch_write`.
    /// - Parameters:
    ///   - toFileDescriptor: stays the caller's; do not close it before the handler runs.
    ///   - data: its memory is used until the handler runs, and not copied.
    ///   - queue: runs the handler.
    ///   - deadline: when to give up with ETIMEDOUT. An extension to GCD.
    ///   - handler: called once, on `queue`, after this write has released the descriptor: with nil
    ///     and 0, or with the unwritten bytes and an errno.
    public class func write(
        toFileDescriptor: Int32, data: DispatchData, runningHandlerOn queue: DispatchQueue,
        deadline: DispatchTime = .distantFuture,
        handler: @escaping (_ data: DispatchData?, _ error: Int32) -> Void
    ) {
        let channel = IOChannel(.stream, IODescriptor.using(toFileDescriptor), cleanup: nil)
        IOOperation(
            .write, channel: channel, length: data.count, data: data, queue: queue
        ) { _, data, error in handler(data, error) }.runAlone(deadline)
    }
}
