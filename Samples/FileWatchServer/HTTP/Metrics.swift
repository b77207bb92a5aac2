import FileWatching
import RingDispatch
import SampleSupport

/// The response to `/metrics`.
struct Metrics {
    let feed: ChangeFeed
    let watcher: FileTreeWatcher
    let runner: CommandRunner?

    var page: MetricsPage {
        var page = MetricsPage()
        addTree(&page)
        addClients(&page)
        page.add(DispatchRuntime.snapshot())
        return page
    }

    private func addTree(_ page: inout MetricsPage) {
        let statistics = watcher.statistics
        let figures = feed.figures
        page.counter(
            "file_watch_changes_total", "Changes reported, by kind of event.", label: "event",
            FileChange.Action.allCases.map { ($0.rawValue, figures.counts[$0] ?? 0) })
        page.gauge("file_watch_watches", "Folders watched by the kernel.", statistics.watches)
        page.gauge("file_watch_folders", "Folders in the tree.", statistics.folders)
        page.gauge("file_watch_files", "Files in the tree.", statistics.files)
        page.gauge(
            "file_watch_polled_roots", "Paths compared with the disk at intervals.",
            statistics.polledRoots)
        page.counter(
            "file_watch_polls_total", "Comparisons of these paths with the disk.",
            Int(statistics.polls))
        page.counter(
            "file_watch_kernel_events_total", "Events from the kernel.", Int(statistics.events))
        page.counter(
            "file_watch_overflows_total", "Times the kernel's queue overflowed.",
            Int(statistics.overflows))
        page.counter(
            "file_watch_rescans_total", "Times the tree was rescanned.",
            Int(statistics.rescans))
        page.counter(
            "file_watch_repairs_total", "Missed changes that rescans found.",
            Int(statistics.repairs))
        page.counter(
            "file_watch_errors_total", "Files and folders that could not be watched.",
            figures.watchErrors)
    }

    private func addClients(_ page: inout MetricsPage) {
        let figures = feed.figures
        page.gauge("file_watch_clients", "Connected clients.", figures.subscribers)
        page.counter("file_watch_clients_total", "Clients since the start.", figures.subscribed)
        page.counter(
            "file_watch_client_rescans_total",
            "Rescans for clients that had fallen behind or reconnected too late.",
            figures.clientRescans)
        page.counter(
            "file_watch_refused_commands_total", "Invalid lines and queries.",
            figures.refusedCommands)
        guard let runner else { return }
        let runs = runner.counts
        page.counter(
            "file_watch_runs_total", "Runs of the command, by result.", label: "end",
            [("success", runs.successes), ("failure", runs.failures)])
    }
}
