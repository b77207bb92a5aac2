internal import LinuxPlatform

/// A block of memory that a thread uses while a handler runs: connections receive into it, and TLS
/// decrypts and encrypts into others.
///
/// Each thread keeps a few, which stay in the cache, for the next streams. A handler that runs
/// other streams' work meanwhile makes that work take others.
package struct ThreadMemory {
    package let start: UnsafeMutableRawPointer

    package static var size: Int { Tuning.memoryBlockBytes }
    /// The most that a thread keeps.
    private static let mostKept = 3

    package var bytes: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: start, count: ThreadMemory.size)
    }

    /// At a page's start, because some processors copy to it twice as fast as to other addresses.
    @inline(__always)
    static func take(_ context: Context) -> ThreadMemory {
        context.pointee.memoryInUse &+= 1
        return ThreadMemory(
            start: context.pointee.memory.pop() ?? PageMemory.allocate(ThreadMemory.size))
    }

    /// To be given back by the same thread.
    package static func take() -> ThreadMemory { take(Context.current) }

    /// A worker that has lost its loop will probably wait for a long time: it keeps no memory.
    @inline(__always)
    func giveBack(_ context: Context) {
        context.pointee.memoryInUse &-= 1
        let isIdle =
            context.pointee.memoryInUse == 0 && context.pointee.isWorker && !context.holdsLoop
        if isIdle { context.pointee.memory.empty { PageMemory.free($0, ThreadMemory.size) } }
        if isIdle || context.pointee.memory.count == ThreadMemory.mostKept {
            PageMemory.free(start, ThreadMemory.size)
        } else {
            context.pointee.memory.push(start)
        }
    }

    package func giveBack() { giveBack(Context.current) }
}
