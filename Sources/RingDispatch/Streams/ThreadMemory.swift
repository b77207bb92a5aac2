internal import LinuxPlatform

/// A block of memory that a thread uses while a handler runs: connections receive into it, and TLS
/// decrypts and encrypts into others.
///
/// Each thread keeps a few, which stay in the cache, for the next streams. A handler that runs other
/// streams' work meanwhile makes that work take others.
package struct ThreadMemory {
    let start: UnsafeMutableRawPointer

    /// What a connection receives at once, and a further record of TLS, with room for what TLS adds.
    package static let size = Tuning.receiveBytes + 20 * 1024
    /// The most that a thread keeps.
    private static let mostKept: UInt8 = 3

    package var bytes: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: start, count: ThreadMemory.size)
    }

    /// At a page's start, because some processors copy to it twice as fast as to other addresses.
    @inline(__always)
    static func take(_ context: Context) -> ThreadMemory {
        guard let start = context.pointee.memory else {
            return ThreadMemory(start: PageMemory.allocate(ThreadMemory.size))
        }
        // A block that is kept begins with the address of the next one.
        context.pointee.memory = start.load(as: UnsafeMutableRawPointer?.self)
        context.pointee.memoryCount &-= 1
        return ThreadMemory(start: start)
    }

    /// To be given back by the same thread.
    package static func take() -> ThreadMemory { take(Context.current) }

    /// A worker that has lost its loop will probably wait for a long time: it keeps no memory.
    @inline(__always)
    func giveBack(_ context: Context) {
        let isIdle = context.pointee.isWorker && !context.holdsLoop
        if isIdle { ThreadMemory.freeKept(context) }
        if isIdle || context.pointee.memoryCount == ThreadMemory.mostKept {
            return PageMemory.free(start, ThreadMemory.size)
        }
        start.storeBytes(of: context.pointee.memory, as: UnsafeMutableRawPointer?.self)
        context.pointee.memory = start
        context.pointee.memoryCount &+= 1
    }

    package func giveBack() { giveBack(Context.current) }

    static func freeKept(_ context: Context) {
        while context.pointee.memory != nil {
            PageMemory.free(take(context).start, ThreadMemory.size)
        }
    }
}
