internal import LinuxPlatform

extension DispatchIO {
    /// Reads up to `length` bytes. `dispatch_io_read`.
    ///
    /// The handler runs on `queue`, never two calls at a time: any number of times with `done`
    /// false and bytes that came, and once, last, with `done` true. The last call has the last
    /// bytes when all were read; empty data at the end of the file; nil with an error (an errno;
    /// ECANCELED after `close`). Bytes that came before an error are delivered first.
    ///
    /// A handler that is late holds the reading back: no more than about a MiB waits for it, and
    /// then the reads behind this one wait, too.
    /// - Parameters:
    ///   - offset: of a random channel, counted from where the descriptor's position was when the
    ///     channel was made; ignored by a stream.
    ///   - length: `.max` reads to the end.
    ///   - deadline: when to give up: what came is delivered, and the operation ends with
    ///     ETIMEDOUT. GCD has no such parameter.
    public func read(
        offset: Int, length: Int, queue: DispatchQueue, deadline: DispatchTime = .distantFuture,
        ioHandler: @escaping (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void
    ) {
        requireSize(length, "read: the length")
        requireOffset(offset, "read")
        submit(
            IOOperation(
                .read, channel: core, offset: Int64(offset), length: length, limits: core.limits,
                queue: queue, handler: IOHandler(ioHandler)), deadline)
    }

    /// Writes all of the data, without copying it. `dispatch_io_write`.
    ///
    /// The handler runs on `queue` as for `read`. With `done` false it has the bytes that are not
    /// written yet, after each MiB unless the water marks say something else; in the last call it
    /// has nil, or with an error the bytes that were not written. EPIPE: nobody will read them.
    public func write(
        offset: Int, data: DispatchData, queue: DispatchQueue,
        deadline: DispatchTime = .distantFuture,
        ioHandler: @escaping (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void
    ) {
        requireOffset(offset, "write")
        submit(
            IOOperation(
                .write, channel: core, offset: Int64(offset), length: data.count, data: data,
                limits: core.limits, queue: queue, handler: IOHandler(ioHandler)), deadline)
    }

    private func submit(_ operation: IOOperation, _ deadline: DispatchTime) {
        let failure = core.begin()
        guard failure == 0 else {
            operation.refuse(failure)
            return
        }
        operation.startTimers(deadline)
        enter(.operation(operation))
    }

    /// Runs a block when all operations that were submitted to channels of the descriptor have
    /// ended, their handlers included, and before those that are submitted later.
    /// `dispatch_io_barrier`.
    ///
    /// It runs on the default global queue, or on the channel's target. The descriptor is the
    /// block's: it may use `fileDescriptor`, say for fsync(2).
    public func barrier(execute: @escaping () -> Void) {
        let queue = core.barrierQueue ?? DispatchQueue.global()
        let isHeld = core.begin(evenIfClosed: true) == 0
        let barrier = IOBarrier(channel: isHeld ? core : nil, queue: queue, block: execute)
        if isHeld { enter(.barrier(barrier)) } else { barrier.submit {} }
    }

    /// The descriptor; -1 when the channel is closed, or its path not opened yet.
    /// `dispatch_io_get_descriptor`.
    public var fileDescriptor: Int32 {
        core.failure == 0 ? core.descriptor.number : -1
    }

    /// Ends the channel: operations that are submitted later end with ECANCELED. Those under way go
    /// on, or with `.stop` end soon, with ECANCELED and what they have done so far.
    /// `dispatch_io_close`.
    public func close(flags: CloseFlags = []) {
        core.close(isStop: flags.contains(.stop))
    }

    /// Sets the most bytes of one handler call, for operations that are submitted later; no limit
    /// is set at first. `dispatch_io_set_high_water`.
    public func setLimit(highWater: Int) {
        requireSize(highWater, "setLimit: the high water mark")
        core.updateLimits { limits in
            limits.high = max(1, highWater)
            if let low = limits.low, low > highWater { limits.low = highWater }
        }
    }

    /// Sets the fewest bytes of a handler call other than an operation's last, for operations that
    /// are submitted later. `dispatch_io_set_low_water`.
    ///
    /// Until it is set, a read delivers at once what is there (GCD would wait for a MiB or more),
    /// and a write tells of each MiB.
    public func setLimit(lowWater: Int) {
        requireSize(lowWater, "setLimit: the low water mark")
        core.updateLimits { limits in
            limits.low = lowWater
            limits.high = max(limits.high, lowWater)
        }
    }

    /// Has handlers called at an interval, with what there is then: of operations that are
    /// submitted later, if they have reached the low water mark or the interval is strict.
    /// `dispatch_io_set_interval`.
    public func setInterval(interval: DispatchTimeInterval, flags: IntervalFlags = []) {
        let nanoseconds = interval.clampedNanoseconds
        guard nanoseconds >= 0 else {
            fatalMisuse("DispatchIO.setInterval: the interval \(interval) is negative")
        }
        let isNever = interval == .never
        core.updateLimits { limits in
            limits.intervalNanoseconds = isNever ? 0 : UInt64(nanoseconds)
            limits.isStrict = flags.contains(.strictInterval)
        }
    }

    private func requireOffset(_ offset: Int, _ function: StaticString) {
        guard offset < 0, core.type == .random else { return }
        fatalMisuse("DispatchIO.\(function): the offset \(offset) is negative")
    }
}

private func requireSize(_ size: Int, _ what: StaticString) {
    if size < 0 { fatalMisuse("DispatchIO.\(what) \(size) is negative") }
}

// MARK: without a channel

extension DispatchIO {
    /// Reads what is there, at most `maxLength` bytes, once there is any. `dispatch_read`.
    ///
    /// A file is read until `maxLength` bytes came or its end is reached, which gives empty data
    /// when there is nothing more.
    /// - Parameters:
    ///   - handler: called once, on `queue`, with the bytes and 0 or an errno. By then this read
    ///     has let the descriptor go.
    ///   - deadline: when to give up, with ETIMEDOUT. GCD has no such parameter.
    public class func read(
        fromFileDescriptor: Int32, maxLength: Int, runningHandlerOn queue: DispatchQueue,
        deadline: DispatchTime = .distantFuture,
        handler: @escaping (_ data: DispatchData, _ error: Int32) -> Void
    ) {
        requireSize(maxLength, "read: the length")
        let channel = IOChannel(
            .stream, IODescriptor.using(fromFileDescriptor), isConvenience: true, cleanup: nil)
        IOOperation(
            .read, channel: channel, offset: 0, length: maxLength, limits: .wholesale, queue: queue,
            handler: IOHandler { _, data, error in handler(data ?? .empty, error) }
        ).runAlone(deadline)
    }

    /// Writes all of the data. `dispatch_write`.
    /// - Parameters:
    ///   - handler: called once, on `queue`, with nil and 0; or with what was not written, and an
    ///     errno. By then this write has let the descriptor go.
    ///   - deadline: when to give up, with ETIMEDOUT. GCD has no such parameter.
    public class func write(
        toFileDescriptor: Int32, data: DispatchData, runningHandlerOn queue: DispatchQueue,
        deadline: DispatchTime = .distantFuture,
        handler: @escaping (_ data: DispatchData?, _ error: Int32) -> Void
    ) {
        let channel = IOChannel(
            .stream, IODescriptor.using(toFileDescriptor), isConvenience: true, cleanup: nil)
        IOOperation(
            .write, channel: channel, offset: 0, length: data.count, data: data,
            limits: .wholesale, queue: queue,
            handler: IOHandler { _, data, error in handler(data, error) }
        ).runAlone(deadline)
    }
}
