import FileWatching
import RingDispatch
import SampleSupport

/// The text of `/metrics`.
struct Metrics {
    let feed: ChangeFeed
    let watcher: FileTreeWatcher
    let runner: CommandRunner?

    var page: MetricsPage {
        var page = MetricsPage()
        addTree(&page)
        addClients(&page)
        let runtime = DispatchRuntime.snapshot()
        page.gauge("ringdispatch_loops", "Event loops.", runtime.loops.count)
        page.gauge("ringdispatch_workers", "Worker threads.", runtime.workers)
        return page
    }

    private func addTree(_ page: inout MetricsPage) {
        let statistics = watcher.statistics
        let figures = feed.figures
        page.counter(
            "file_watch_changes_total", "Changes told, by kind of event.", label: "event",
            FileChange.Action.allCases.map { ($0.rawValue, figures.counts[$0] ?? 0) })
        page.gauge("file_watch_watches", "Folders that the kernel watches.", statistics.watches)
        page.gauge("file_watch_folders", "Folders in the tree.", statistics.folders)
        page.gauge("file_watch_files", "Files in the tree.", statistics.files)
        page.counter(
            "file_watch_kernel_events_total", "Events of the kernel's.", Int(statistics.events))
        page.counter(
            "file_watch_overflows_total", "Times the kernel's queue overflowed.",
            Int(statistics.overflows))
        page.counter(
            "file_watch_rescans_total", "Times the tree was compared with what was known of it.",
            Int(statistics.rescans))
        page.counter(
            "file_watch_repairs_total", "Changes that such a comparison found.",
            Int(statistics.repairs))
        page.counter(
            "file_watch_errors_total", "Files and folders that could not be watched.",
            figures.watchErrors)
    }

    private func addClients(_ page: inout MetricsPage) {
        let figures = feed.figures
        page.gauge("file_watch_clients", "Clients that are told now.", figures.subscribers)
        page.counter("file_watch_clients_total", "Clients that came.", figures.subscribed)
        page.counter(
            "file_watch_client_rescans_total",
            "Rescans for clients that had fallen behind or came back too late.",
            figures.clientRescans)
        page.counter(
            "file_watch_refused_commands_total", "Lines and queries that could not be read.",
            figures.refusedCommands)
        guard let runner else { return }
        let runs = runner.counts
        page.counter(
            "file_watch_runs_total", "Runs of the command, by how they ended.", label: "end",
            [("success", runs.successes), ("failure", runs.failures)])
    }
}
