"""FileWatchServer compared with inotifywait: latency, new folders, large trees, overflow."""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

import building
import machine
from report import Need, Outcome, needs_table, number, table
from rounds import MeasureError, Values, in_turn
from servers import cpu_seconds, resident_bytes
from watchers import BareLines, FileWatchServer, Inotifywait

WRITES, WARM_UP = 200, 20
PAUSE_SECONDS = 0.02
NEW_FOLDERS = 24
FOLDERS, FILES_IN_EACH, CHANGED_FILES = 20_000, 10, 50_000
MOST_RESIDENT_BYTES = 18 << 20
QUEUE_LIMIT = "/proc/sys/fs/inotify/max_queued_events"


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    program = building.static_sample("FileWatchServer", not options.no_build)
    print(f"## Watching files\n\n{machine.facts(options.rounds, options.cpus)}", flush=True)
    for section in (_latency, _new_folders, _large_tree, _checkout, _overflow):
        if options.names and section.__name__.strip("_").replace("_", "-") not in options.names:
            continue
        with tempfile.TemporaryDirectory(prefix="files-benchmark-") as folder:
            try:
                section(options, outcome, program, folder)
            except MeasureError as error:
                outcome.failures.append(f"{section.__name__.strip('_')}: {error}")
    return outcome


def _watchers(program: str, tree: str, cpus: list[int]) -> list:
    return [lambda: Inotifywait(tree, cpus), lambda: FileWatchServer(program, tree, cpus)]


def _warm_up(watcher: Inotifywait | FileWatchServer, tree: str) -> None:
    """Changes a file until the watcher reports it: changes before the accept are not reported."""
    if isinstance(watcher, FileWatchServer):
        watcher.connect()
    for index in range(1000):
        with open(f"{tree}/first", "a", encoding="ascii") as file:
            file.write("x")
        if watcher.lines.next(0.05) is not None:
            break
    else:
        raise MeasureError(f"{watcher.name} reports nothing")
    while watcher.lines.next(0.2) is not None:
        pass


# From a write to the line

def _latency(
    options: argparse.Namespace, outcome: Outcome, program: str, tree: str
) -> None:
    server_cpu, client_cpu = options.cpus
    cpus = [server_cpu]
    bare = building.c_peers(["inotify-lines"], not options.no_build)["inotify-lines"]
    makers = {
        Inotifywait.name: lambda: Inotifywait(tree, cpus),
        BareLines.name: lambda: BareLines(bare, tree, cpus),
        FileWatchServer.name: lambda: FileWatchServer(program, tree, cpus),
        FileWatchServer.name_on_unix: lambda: FileWatchServer(
            program, tree, cpus, unix_path=f"{tree}.socket")}
    os.sched_setaffinity(0, {client_cpu})
    results = in_turn(
        options, outcome, "latency", makers, lambda name: _write_and_wait(makers[name], tree))
    os.sched_setaffinity(0, set(options.cpus))
    milliseconds = round(PAUSE_SECONDS * 1000)
    print(f"\n### From a write to the line: a write every {milliseconds} ms\n")
    print(table(["program", "p50 µs", "CPU µs/event"], [
        [name, number(result["p50_us"]), number(result["cpu_us"])]
        for name, result in results.items() if result]))
    theirs = results.get(Inotifywait.name, {})
    print("\n" + needs_table([
        Need(f"{title} of {name} / inotifywait", results.get(name, {}).get(key), theirs.get(key),
             at_most=bound)
        for name in (FileWatchServer.name, FileWatchServer.name_on_unix)
        for title, key, bound in (("p50", "p50_us", 1.25), ("CPU", "cpu_us", 2.0))
    ], outcome), flush=True)


def _write_and_wait(make: Callable[[], Inotifywait | FileWatchServer], tree: str) -> Values:
    """Appends one byte at a time to an open file, and waits for the line."""
    with make() as watcher:
        _warm_up(watcher, tree)
        times = []
        file = os.open(f"{tree}/first", os.O_WRONLY | os.O_APPEND)
        for index in range(-WARM_UP, WRITES):
            time.sleep(PAUSE_SECONDS)
            if index == 0:
                before = cpu_seconds(watcher.pid)
            start = time.perf_counter()
            os.write(file, b"x")
            if watcher.lines.next() is None:
                raise MeasureError(f"{watcher.name} did not report a write")
            times.append(time.perf_counter() - start)
        time.sleep(PAUSE_SECONDS)  # What the watcher does after the line counts as well.
        os.close(file)
        return {"p50_us": statistics.median(times[WARM_UP:]) * 1e6,
                "cpu_us": (cpu_seconds(watcher.pid) - before) / WRITES * 1e6}


# A file created in a new folder

def _new_folders(
    options: argparse.Namespace, outcome: Outcome, program: str, tree: str
) -> None:
    misses: dict[str, list[int]] = {}
    for round_number in range(options.rounds):
        print(f"new folders, round {round_number + 1}", file=sys.stderr)
        for number_, make in enumerate(_watchers(program, tree, options.cpus)):
            with make() as watcher:
                _warm_up(watcher, tree)
                missed = sum(not _is_reported(watcher, f"{tree}/{round_number}-{number_}-{index}")
                             for index in range(NEW_FOLDERS))
                misses.setdefault(watcher.name, []).append(missed)
    print(f"\n### A file made in a folder right after the folder, {NEW_FOLDERS} times\n")
    rows = [[name, f"{min(list_)} to {max(list_)}"] for name, list_ in misses.items()]
    print(table(["program", "missed"], rows))
    is_never_missed = not any(misses.get(FileWatchServer.name, [1]))
    print(f"\nnever missed: {outcome.verdict('new folders', is_never_missed)}", flush=True)


def _is_reported(watcher: Inotifywait | FileWatchServer, folder: str) -> bool:
    wanted, last = f"{folder}/file", f"{folder}.end"
    os.mkdir(folder)
    os.close(os.open(wanted, os.O_CREAT | os.O_WRONLY))
    time.sleep(0.02)
    os.close(os.open(last, os.O_CREAT | os.O_WRONLY))
    is_reported = False
    while (line := watcher.lines.next()) is not None:
        path = watcher.path(line)
        is_reported = is_reported or path == wanted
        if path == last:
            return is_reported
    raise MeasureError(f"{watcher.name} did not report {last}")


# A large tree

def _large_tree(
    options: argparse.Namespace, outcome: Outcome, program: str, tree: str
) -> None:
    _make_folders(tree)
    times: dict[str, list[float]] = {}
    memory: dict[str, list[int]] = {}
    for round_number in range(options.rounds):
        print(f"large tree, round {round_number + 1}", file=sys.stderr)
        for make in _watchers(program, tree, options.cpus):
            start = time.monotonic()
            with make() as watcher:
                times.setdefault(watcher.name, []).append((time.monotonic() - start) * 1000)
                memory.setdefault(watcher.name, []).append(resident_bytes(watcher.pid))
    print(f"\n### A tree of {FOLDERS:,} folders\n")
    print(table(["program", "ms until watched", "resident MiB"],
                [[name, number(statistics.median(times[name])),
                  number(statistics.median(memory[name]) / (1 << 20))] for name in times]))
    ours = FileWatchServer.name
    print("\n" + needs_table([
        Need("ms of FileWatchServer / inotifywait", statistics.median(times[ours]),
             statistics.median(times[Inotifywait.name]), at_most=1.0),
        Need("resident of FileWatchServer / 18 MiB", statistics.median(memory[ours]),
             MOST_RESIDENT_BYTES, at_most=1.0)], outcome), flush=True)


def _make_folders(tree: str) -> list[str]:
    print("creating a large tree", file=sys.stderr)
    # 200 outer folders, and 19,800 inside them.
    outer = [f"{tree}/{index}" for index in range(200)]
    inner = [f"{outer[index % 200]}/{index}" for index in range(200, FOLDERS)]
    for folder in outer + inner:
        os.mkdir(folder)
    return outer + inner


def _checkout(options: argparse.Namespace, outcome: Outcome, program: str, tree: str) -> None:
    files = [f"{folder}/{file}" for folder in _make_folders(tree) for file in range(FILES_IN_EACH)]
    for path in files:
        _write(path)
    changed = files[::len(files) // CHANGED_FILES]
    rows = []
    for round_number in range(options.rounds):
        print(f"checkout, round {round_number + 1}", file=sys.stderr)
        start = time.monotonic()
        # A history for all events: a client that falls behind would get a rescan of its own.
        with FileWatchServer(program, tree, options.cpus, "--history", "300000") as watcher:
            watched = time.monotonic()
            before = resident_bytes(watcher.pid)
            _warm_up(watcher, tree)
            for path in changed:
                os.unlink(path)
                _write(path)
            last = f"{tree}/last-{round_number}"
            _write(last)
            written = time.monotonic()
            missed = set(changed)
            is_at_end = False
            # After an overflow, a rescan reports the rest in any order.
            while missed or not is_at_end:
                if (line := watcher.lines.next()) is None:
                    break
                path = watcher.path(line)
                missed.discard(path)
                is_at_end = is_at_end or path == last
            rows.append([(watched - start) * 1000, before / (1 << 20),
                         (time.monotonic() - written) * 1000, len(missed),
                         resident_bytes(watcher.pid) / (1 << 20)])
    medians = [statistics.median(column) for column in zip(*rows)]
    print(f"\n### {CHANGED_FILES:,} of {len(files):,} files in {FOLDERS:,} folders replaced\n")
    print(table(
        ["ms until watched", "resident MiB", "ms from the last write to its line", "files missed",
         "resident MiB afterwards"], [[number(value) for value in medians]]))
    is_complete = not any(row[3] for row in rows)
    print(f"\nnone missed: {outcome.verdict('checkout', is_complete)}", flush=True)


def _write(path: str) -> None:
    file = os.open(path, os.O_CREAT | os.O_WRONLY)
    os.write(file, b"x")
    os.close(file)


# More changes than the kernel's queue holds

def _overflow(options: argparse.Namespace, outcome: Outcome, program: str, tree: str) -> None:
    with open(QUEUE_LIMIT, encoding="ascii") as file:
        count = int(file.read()) + 2000
    rows = []
    for round_number in range(options.rounds):
        print(f"overflow, round {round_number + 1}", file=sys.stderr)
        # A history for all events: a client that falls behind would get a rescan of its own.
        with FileWatchServer(program, tree, options.cpus, "--history", "200000") as watcher:
            _warm_up(watcher, tree)
            known = {f"{tree}/first"}
            watcher.stop()
            try:
                for index in range(count):
                    os.close(os.open(f"{tree}/{index}", os.O_CREAT | os.O_WRONLY))
                for index in range(0, count, 3):
                    os.unlink(f"{tree}/{index}")
            finally:
                watcher.resume()
            rows.append(_repair(watcher, tree, known))
        for entry in os.scandir(tree):
            os.unlink(entry.path)
    print(f"\n### {count:,} files made, and a third removed, while the server is stopped\n")
    print(table(["round", "overflows", "rescans", "state"],
                [[str(index + 1), *map(str, row)] for index, row in enumerate(rows)]))
    is_repaired = all(row == (1, 1, "repaired") for row in rows)
    print(f"\none rescan, and repaired: {outcome.verdict('overflow', is_repaired)}", flush=True)


def _repair(watcher: FileWatchServer, tree: str, known: set[str]) -> tuple[int, int, str]:
    """Applies the reported events; returns the numbers of overflows and rescans, and the state."""
    counts = {"overflow": 0, "rescan": 0}
    # Reported in any case, even if it is created during the rescan.
    last = f"{tree}/last"
    os.close(os.open(last, os.O_CREAT | os.O_WRONLY))
    disk = {entry.path for entry in os.scandir(tree)}
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        line = watcher.lines.next(1)
        if line is None:
            # The state may be right for a moment before the last event.
            if known == disk:
                break
            continue
        event = watcher.event(line)
        kind, path = str(event["event"]), str(event["path"])
        if kind in counts:
            counts[kind] += 1
        elif kind == "created":
            known.add(path)
        elif kind == "removed":
            known.discard(path)
    return counts["overflow"], counts["rescan"], "repaired" if known == disk else "wrong"
