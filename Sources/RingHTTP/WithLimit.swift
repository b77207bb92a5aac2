#if FlyingFox
internal import RingDispatch

/// Runs `body` in a task that is cancelled after a time, or with the calling task.
func withLimit<Result: Sendable>(
    _ limit: Duration, _ body: sending @escaping () async -> Result
) async -> Result {
    let work = Task(operation: body)
    // A sleeping task would keep memory until the time has passed, even if it is cancelled.
    let timer = DispatchQueue.global().scheduleAfter(deadline: .now() + limit) { work.cancel() }
    defer { timer.cancel() }
    return await withTaskCancellationHandler(
        operation: { await work.value }, onCancel: { work.cancel() })
}
#endif
