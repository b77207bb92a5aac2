"""Switches one mechanism of the runtime off at a time, and measures the row that it exists for.

Each patch of Ablation is one mechanism: what it does, `Row: ...`, and the change that switches it
off. Builds the library with and without each patch and runs the two in turn.
"""

import argparse
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys

import building
import machine
import open_loop
import quiet
from report import Outcome, interval, table
from rounds import MeasureError, Values
from servers import ON_URING, Load, Running, Server, measure, output, values

ROOT = building.PACKAGE.parent
PATCHES = building.PACKAGE / "Ablation"
COPY = building.SCRATCH / "ablation"
RUN_SECONDS = 120
# A mechanism stays if its row is at least this much worse without it.
LEAST_GAIN = 1.05
LEAST_ROUNDS = 15
# The kinds of rows that measure a server, and the figure of each.
FIGURES = {
    "quiet": "cpu_us", "late": "p50_us", "late-cpu": "cpu_us", "echo": "cpu_us",
    "echo-p50": "p50_us", "sink": "cpu_us", "busy": "cpu_us",
}
CLIENTS = ["echo-load", "bulk-load", "open-load"]
# Longer than the work after an answer.
LATE_INTERVAL_MS = 2


class Mechanism:
    """One patch."""

    def __init__(self, path: pathlib.Path):
        lines = path.read_text().splitlines()
        self.name, self.path, self.meaning = path.stem, path, lines[0]
        self.row = lines[1].removeprefix("Row: ").split()
        self.products = {
            "micro": ["micro-ring"], "micro-cpu": ["micro-ring"],
            "blocked": ["blocked-queues-ring"], "blocked-cpu": ["blocked-queues-ring"],
            "quiet": ["EchoServer"], "sink": ["EchoServer"], "busy": ["EchoServer"],
            "open": ["EchoServer", "ringload"], "late": ["late-echo"], "late-cpu": ["late-echo"],
            "echo": self.row[1:2], "echo-p50": self.row[1:2],
        }[self.row[0]]


def _copy_files() -> None:
    """The tracked files, with their times: only what a patch changed is built again."""
    COPY.mkdir(parents=True, exist_ok=True)
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    archive = subprocess.run(["tar", "-c", "--null", "-T", "-"], cwd=ROOT, input=names,
                             capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", str(COPY)], input=archive, check=True)


def _build(patch: pathlib.Path | None, products: list[str], folder: pathlib.Path) -> None:
    _copy_files()
    if patch is not None:
        subprocess.run(["patch", "-s", "-p1", "-d", str(COPY), "-i", str(patch)], check=True)
    folder.mkdir(parents=True, exist_ok=True)
    for name in products:
        is_sample = name in building.SAMPLE_NAMES
        package = COPY / ("Samples" if is_sample else "Benchmarks")
        print(f"building {name} for {folder.name}", file=sys.stderr)
        command = ["swift", "build", "-c", "release", "--package-path", str(package)]
        result = subprocess.run(
            ["nice", "-n", "10", *command, "--product", name], stdin=subprocess.DEVNULL,
            capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{result.stdout}{result.stderr}\nfailed: {name} for {folder.name}")
        shutil.copy2(package / ".build" / "release" / name, folder / name)


def _children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _measure(row: list[str], folder: pathlib.Path, clients: dict[str, str],
             options: argparse.Namespace) -> float:
    """A figure of which less is better."""
    kind, words = row[0], row[1:]
    if kind in FIGURES:
        return _measure_server(kind, words, folder, clients, options)[FIGURES[kind]]
    if kind.endswith("-cpu"):
        before = _children_seconds()
        _measure([kind.removesuffix("-cpu"), *words], folder, clients, options)
        return _children_seconds() - before
    if kind == "micro":
        command = [str(folder / "micro-ring"), words[0]]
        return float(output(command, options.cpus, RUN_SECONDS)[0].split()[1])
    if kind == "blocked":
        command = [str(folder / "blocked-queues-ring"), *words]
        result = values(output(command, options.cpus, RUN_SECONDS))
        if not (keys := result.keys() & {"p99_us", "half_ms"}):
            raise MeasureError("no item ran")
        return result[keys.pop()]
    server_cpu, client_cpu = options.cpus
    with Running(_server("EchoServer", folder), [server_cpu]) as running:
        before = running.cpu_seconds()
        output([str(folder / "ringload"), f"tcp://127.0.0.1:{running.port}",
                "--connections", words[0], "--rate", words[1],
                "--duration", f"{options.seconds * 1000:.0f}ms"], [client_cpu], RUN_SECONDS)
        return running.cpu_seconds() - before


def _server(name: str, folder: pathlib.Path, *arguments: str, loops: str = "") -> Server:
    environment = (*ON_URING, *((("RINGDISPATCH_LOOPS", loops),) if loops else ()))
    return Server(name, (str(folder / name), "--port", "0", *arguments), environment)


def _measure_server(
    kind: str, words: list[str], folder: pathlib.Path, clients: dict[str, str],
    options: argparse.Namespace
) -> Values:
    seconds, cpus = options.seconds, options.cpus
    if kind in ("late", "late-cpu"):
        work, blocks, loops = words
        server = _server("late-echo", folder, "--work", work, "--blocks", blocks, loops=loops)
        return quiet.measure(server, LATE_INTERVAL_MS, 1, seconds, cpus)
    if kind == "quiet":
        return quiet.measure(_server("EchoServer", folder), int(words[0]), 1, seconds, cpus)
    if kind == "busy":
        load = Load(clients["open-load"], int(words[0]), seconds, arguments=("--rate", words[1]))
        with open_loop.busy(cpus, seconds):
            return measure(_server("EchoServer", folder), load, cpus, cpus)
    if kind == "sink":
        server = _server("EchoServer", folder, "--mode", "discard")
        load = Load(clients["bulk-load"], int(words[0]), seconds, arguments=("--mode", "sink"))
    else:
        server = _server(words[0], folder)
        load = Load(clients["echo-load"], int(words[1]), seconds)
    return measure(server, load, cpus[:1], cpus[1:])


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    known = {path.stem: Mechanism(path) for path in sorted(PATCHES.glob("*.patch"))}
    unknown = set(options.names) - set(known)
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    mechanisms = [known[name] for name in options.names or known]
    clients = building.c_peers(CLIENTS, not options.no_build)
    binaries = COPY / "binaries"
    if not options.no_build:
        products = sorted({name for each in mechanisms for name in each.products})
        _build(None, products, binaries / "with")
        for each in mechanisms:
            _build(each.path, each.products, binaries / each.name)
    print(f"## Mechanisms, each switched off\n\n{machine.facts(options.rounds, options.cpus)}\n")
    rows = []
    for each in mechanisms:
        ratios = []
        for round_number in range(options.rounds):
            print(f"{each.name}, round {round_number + 1} of {options.rounds}", file=sys.stderr)
            # The order alternates from round to round.
            order = ["with", each.name] if round_number % 2 == 0 else [each.name, "with"]
            try:
                times = {name: _measure(each.row, binaries / name, clients, options)
                         for name in order}
                ratios.append(times[each.name] / times["with"])
            except (MeasureError, subprocess.SubprocessError) as error:
                outcome.failures.append(f"{each.name}: {error}")
        if not ratios:
            continue
        low, high = interval(ratios)
        median = statistics.median(ratios)
        earns = outcome.verdict(each.name, median >= LEAST_GAIN and low > 1)
        verdict = earns if len(ratios) >= LEAST_ROUNDS else "too few rounds"
        rows.append([each.name, each.meaning, " ".join(each.row), str(len(ratios)),
                     f"{median:.2f}", f"{low:.2f} to {high:.2f}", verdict])
    print(table(["mechanism", "what it does", "row", "rounds", "without / with", "95 % interval",
                 ""], rows))
    return outcome
