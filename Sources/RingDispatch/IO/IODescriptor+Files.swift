internal import LinuxPlatform

// Operations of regular files and block devices.
extension IODescriptor {
    /// Starts an operation: on a random channel at once, on a stream when its turn comes.
    func startTransfer(_ operation: IOOperation) {
        if operation.channel.type == .stream {
            guard transfers.withLock({ $0.streams.enter(operation) }) else {
                // A sweep for the abort may have run before the operation waited.
                if operation.isAborted { sweepTransfers() }
                return
            }
        }
        run(operation)
    }

    /// The position and the size at opening may no longer hold.
    func touch() { transfers.withLock { $0.isUntouched = false } }

    private func run(_ operation: IOOperation) {
        let transfer = transfers.withLock { transfers -> FileTransfer in
            let isFirst = transfers.isUntouched
            transfers.isUntouched = false
            let transfer =
                operation.direction == .read
                ? FileRead(operation, of: self, isFirst: isFirst)
                : FileWrite(operation, of: self, isFirst: isFirst)
            transfers.running[ObjectIdentifier(operation)] = transfer
            return transfer
        }
        transfer.wake()
    }

    /// Ends the transfer's operation, then starts the next one of the stream. This order keeps the
    /// two handlers' calls in order.
    func transferEnded(_ transfer: FileTransfer, _ code: Int32) {
        let operation = transfer.operation
        transfers.withLock { _ = $0.running.removeValue(forKey: ObjectIdentifier(operation)) }
        operation.finish(code)
        guard transfer.isStream else { return }
        let next = transfers.withLock { $0.streams.next(operation.direction) }
        // From an empty stack: it may end at once, and so may those after it.
        if let next { DispatchQueue.global().submit { [self] in run(next) } }
    }

    func sweepTransfers() {
        let (running, aborted) = transfers.withLock { transfers in
            (transfers.running.values, transfers.streams.removeAborted())
        }
        for operation in aborted { operation.finish(operation.abortCode) }
        for transfer in running { transfer.wake() }
    }
}
