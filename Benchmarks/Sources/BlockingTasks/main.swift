// What tasks cost, and how they fare beside tasks that block: on libdispatch and Swift's own
// executor, or on the event loops. Prints `name value`, in the unit that the name ends with.
#if LIBDISPATCH
import Dispatch
#else
import RingConcurrency
import RingDispatch
#endif
@preconcurrency import Glibc

#if !LIBDISPATCH
guard RingConcurrency.install() else { exit(1) }
#endif
setlinebuf(stdout)
Task.detached {
    await report("yield_ns", each(100_000) { await Task.yield() })
    await report("task_ns", each(100_000) { await Task {}.value })
    let (onQueue, byDefault) = (QueueActor(), DefaultActor())
    await report("queue_actor_ns", each(100_000) { await onQueue.call() })
    await report("default_actor_ns", each(1_000_000) { await byDefault.call() })
    await report("main_actor_ns", each(50_000) { await callMainActor() })
    await report("group_ns", each(1) { await group(of: 100_000) } / 100_000)
    let sleeps = await sleeps()
    report("sleep_10ms_p50_us", sleeps[sleeps.count / 2])
    await report("awaited_background_us", backgroundBesideEndlessWork())
    await report("blocked_200_us", each(1) { await block(200, milliseconds: 100) } / 1_000)
    #if !LIBDISPATCH
    // Swift's own executor runs as many at a time as there are CPUs, and then nothing else.
    let waits = await waits(besideBlocked: 200)
    report("beside_p50_us", waits[waits.count / 2])
    report("beside_p99_us", waits[waits.count * 99 / 100])
    #endif
    exit(0)
}
dispatchMain()

func report(_ name: String, _ value: Double) {
    print(name, (value * 10).rounded() / 10)
}
