internal import CLinux
internal import LinuxPlatform
internal import Synchronization

/// Makes the contexts of threads, and frees them.
enum ThreadRegistry {
    /// Frees a context when its thread ends.
    private static let exitKey = Threads.atExit { memory in
        guard let memory else { return }
        ThreadRegistry.remove(memory.assumingMemoryBound(to: ThreadContext.self))
    }

    /// The process is the child of a fork, and lacks the workers. Written in fork by the child's
    /// only thread; read by that thread and by threads that it starts later.
    private static let isForked = Atomic<Bool>(false)

    /// Makes the library unusable in forked children, which have no workers and share the parent's
    /// rings. Without a context, a thread's next call reaches `adopt`.
    static let trapInForkedChildren: Void = Threads.atForkInChild {
        ThreadRegistry.isForked.store(true, ordering: .relaxed)
        QueueInspection.endInForkedChild()
        clinux_thread_set(nil)
    }

    @inline(never)
    static func adopt() -> Context {
        guard !isForked.load(ordering: .relaxed) else {
            fatalMisuse(
                "use in the child of a fork, which has none of the parent's threads: call exec "
                    + "there, or fork before the first item is submitted")
        }
        let context = Context.allocate(capacity: 1)
        context.initialize(to: ThreadContext(identifier: Threads.currentIdentifier))
        clinux_thread_set(context)
        exitKey.set(context)
        return context
    }

    private static func remove(_ context: Context) {
        clinux_thread_set(nil)
        context.pointee.threadHandle.deallocate()
        context.pointee.items.empty()
        if let buffer = context.pointee.traceBuffer { Trace.giveBack(buffer) }
        context.pointee.memory.empty { PageMemory.free($0, Tuning.memoryBlockBytes) }
        context.deinitialize(count: 1)
        context.deallocate()
    }
}
