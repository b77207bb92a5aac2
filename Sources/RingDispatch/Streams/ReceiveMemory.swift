internal import LinuxPlatform

/// The memory that a thread receives into, while a handler uses the bytes.
///
/// Each thread keeps one, for the next stream. A handler that runs other streams' work meanwhile
/// makes that work allocate its own.
struct ReceiveMemory {
    let start: UnsafeMutableRawPointer

    /// At a page's start, because some processors copy to it twice as fast as to other addresses.
    @inline(__always)
    static func take(_ context: Context) -> ReceiveMemory {
        if let start = context.pointee.receiveMemory {
            context.pointee.receiveMemory = nil
            return ReceiveMemory(start: start)
        }
        return ReceiveMemory(start: PageMemory.allocate(Tuning.receiveBytes))
    }

    /// A worker that has lost its loop will probably wait for a long time: it keeps no memory.
    @inline(__always)
    func giveBack(_ context: Context) {
        let isIdle = context.pointee.isWorker && !context.holdsLoop
        if isIdle || context.pointee.receiveMemory != nil { return free() }
        context.pointee.receiveMemory = start
    }

    func free() { PageMemory.free(start, Tuning.receiveBytes) }
}
