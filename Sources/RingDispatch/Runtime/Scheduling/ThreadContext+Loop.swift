extension ThreadContext {
    /// The loop that receives the thread's work: a worker's own, or the last one that a thread of
    /// the program used.
    @inline(__always)
    var loop: EventLoop? {
        get { loopAddress.map { EventLoop(address: $0) } }
        set { loopAddress = newValue?.address }
    }

    /// The thread's worker, which lives as long as the thread; nil for threads of the program.
    @inline(__always)
    var worker: Worker? {
        get { workerAddress.map { Unmanaged<Worker>.fromOpaque($0).takeUnretainedValue() } }
        set { workerAddress = newValue.map { Unmanaged.passUnretained($0).toOpaque() } }
    }

    @inline(__always)
    var isWorker: Bool { workerAddress != nil }
}

extension Context {
    /// An item begins on the thread.
    @inline(__always)
    func beginItem() {
        pointee.threadHandle.noteItem()
        if !holdsLoop { pointee.worker?.observeItem(self) }
    }

    /// Whether the thread is a worker that still has its loop.
    @inline(__always)
    var holdsLoop: Bool { pointee.loop?.isHeld(by: self) ?? false }
}
