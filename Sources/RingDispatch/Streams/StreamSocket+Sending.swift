internal import LinuxPlatform

// On the queue, unless a comment says otherwise.
extension StreamSocket {
    /// Makes the batches of the ordinary loops now, from any thread: for a server before it
    /// accepts. Once clients have all descriptors, there are none for rings, and a ring may take
    /// the one that a listener keeps in reserve.
    package static func prepareSends() {
        for loop in Runtime.shared.pool.loops where loop.output == nil {
            _ = SendBatch.make(for: loop)
        }
    }

    /// Sends bytes, or adds them to the loop's batch.
    /// - Returns: how many bytes were sent or added; or a negated errno. After less than all, call
    ///   `settleSends`.
    @inline(__always)
    package func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        if bytes.count <= Tuning.longestBatchedSend, isWatching, mayBatch, !confined.isSlow {
            let context = Context.current
            if let loop = context.pointee.loop, loop.isHeld(by: context),
                let batch = loop.sendBatch ?? SendBatch.make(for: loop)
            {
                let count = add(bytes, to: batch)
                // Store-then-check: the batch's `start` has been stored. A worker that took the
                // loop over meanwhile may have found the batch empty.
                if loop.loopState.word != context.pointee.loopState {
                    batch._withUnsafeGuaranteedRef { $0.submit() }
                }
                return count
            }
        }
        if confined.batch != nil, settle() { return 0 }
        return Sockets.send(descriptor, bytes)
    }

    private func add(_ bytes: UnsafeRawBufferPointer, to batch: Unmanaged<SendBatch>) -> Int {
        if let other = confined.batch?.toOpaque(), other != batch.toOpaque(), settle() { return 0 }
        return batch._withUnsafeGuaranteedRef { $0.add(bytes, of: self) } ? bytes.count : 0
    }

    /// Returns whether bytes are unsent.
    private func settle() -> Bool {
        confined.batch?._withUnsafeGuaranteedRef { $0.settle(self) }
        return confined.unsent != nil
    }

    /// Sends what is in a batch.
    /// - Returns: the bytes that the kernel has not taken, in order, before all others.
    package func settleSends() -> [UInt8]? {
        if confined.batch != nil { _ = settle() }
        return confined.unsent.take()
    }

    /// The event after `sendFailed`; not one of poll(2)'s.
    static let sendFailed: UInt32 = 1 << 24

    /// Called under the batch's lock, on any thread.
    func sendFailed(_ rest: [UInt8]) {
        confined.unsent = rest
        notify(StreamSocket.sendFailed, Context.current)
    }
}
