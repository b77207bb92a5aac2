import Glibc
import RingDispatch
import SampleSupport

/// Runs a command when no change has occurred for a while. Changes during a run lead to one more
/// run afterwards.
final class CommandRunner: @unchecked Sendable {
    // Safety: only `queue` touches the mutable state.
    struct Counts: Sendable {
        var successes = 0
        var failures = 0
    }

    private struct Run {
        let child: ChildProcess
        let end: any DispatchSourceProcess
        let start: DispatchTime
    }

    private let command: String
    private let quiet: DispatchTimeInterval
    private let queue = DispatchQueue(label: "file-watch-server.runner")
    private let timer: any DispatchSourceTimer
    /// Changes since the last run began.
    private var changes = 0
    private var run: Run?
    private var isDue = false
    private var total = Counts()
    private var whenEnded: (@Sendable () -> Void)?

    /// Time between SIGTERM and SIGKILL.
    private static let graceSeconds = 2

    /// - Parameter quiet: the time without changes before a run.
    init(command: String, quiet: TimeSpan) {
        self.command = command
        self.quiet = quiet.interval
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [unowned self] in settled() }
        timer.activate()
    }

    var counts: Counts { queue.sync { total } }

    /// Counts changes and restarts the quiet time. Safe to call from any thread.
    func note(_ count: Int) {
        queue.async { [self] in
            changes += count
            isDue = false
            timer.schedule(deadline: .now() + quiet)
        }
    }

    /// Ends the current run and blocks until it has ended. Must not be called on a queue.
    func stop() {
        let ended = DispatchSemaphore(value: 0)
        let child = queue.sync { () -> ChildProcess? in
            timer.cancel()
            guard let run else { return nil }
            whenEnded = { ended.signal() }
            run.child.send(SIGTERM)
            return run.child
        }
        guard let child else { return }
        let deadline = DispatchTime.now() + .seconds(Self.graceSeconds)
        let hasEnded = ended.wait(timeout: deadline) == .success
        // The shell may end before the processes that it has started.
        while child.hasProcesses, .now() < deadline { usleep(10_000) }
        child.send(SIGKILL)
        if !hasEnded { ended.wait() }
    }

    // MARK: on the queue

    private func settled() {
        guard run == nil else { return isDue = true }
        isDue = false
        let count = changes
        changes = 0
        guard count > 0 else { return }
        do {
            let child = try ChildProcess(
                shellCommand: "export FILE_WATCH_CHANGES=\(count); \(command)")
            writeErrorLine("FileWatchServer: \(count) changes: \(command)")
            let end = DispatchSource.makeProcessSource(
                identifier: child.identifier, eventMask: .exit, queue: queue)
            end.setEventHandler { [self] in ended() }
            run = Run(child: child, end: end, start: .now())
            end.activate()
        } catch {
            total.failures += 1
            writeErrorLine("FileWatchServer: --run: \(error)")
        }
    }

    private func ended() {
        guard let run else { return }
        self.run = nil
        run.end.cancel()
        let trouble = run.child.reap()
        let nanoseconds = DispatchTime.now().uptimeNanoseconds - run.start.uptimeNanoseconds
        if trouble == nil { total.successes += 1 } else { total.failures += 1 }
        writeErrorLine(
            "FileWatchServer: \(trouble ?? "succeeded") after \(nanoseconds / 1_000_000) ms: "
                + command)
        if let whenEnded { return whenEnded() }
        if isDue { settled() }
    }
}
