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
import quiet
from report import Outcome, interval, table
from rounds import MeasureError
from servers import ON_URING, Load, Running, Server, measure, output, values

ROOT = building.PACKAGE.parent
PATCHES = building.PACKAGE / "Ablation"
COPY = building.SCRATCH / "ablation"
RUN_SECONDS = 120
# A mechanism stays if its row is at least this much worse without it.
LEAST_GAIN = 1.05
LEAST_ROUNDS = 15


class Mechanism:
    """One patch."""

    def __init__(self, path: pathlib.Path):
        lines = path.read_text().splitlines()
        self.name, self.path, self.meaning = path.stem, path, lines[0]
        self.row = lines[1].removeprefix("Row: ").split()
        self.products = {
            "micro": ["micro-ring"], "micro-cpu": ["micro-ring"],
            "blocked": ["blocked-queues-ring"], "blocked-cpu": ["blocked-queues-ring"],
            "quiet": ["EchoServer"], "open": ["EchoServer", "ringload"], "echo": self.row[1:2],
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


def _measure(row: list[str], folder: pathlib.Path, client: str,
             options: argparse.Namespace) -> float:
    """A figure of which less is better."""
    kind, words = row[0], row[1:]
    server_cpu, client_cpu = options.cpus
    if kind.endswith("-cpu"):
        before = _children_seconds()
        _measure([kind.removesuffix("-cpu"), *words], folder, client, options)
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
    name = words[0] if kind == "echo" else "EchoServer"
    server = Server(name, (str(folder / name), "--port", "0"), ON_URING)
    if kind == "quiet":
        return quiet.measure(server, int(words[0]), 1, options.seconds, options.cpus)["cpu_us"]
    if kind == "open":
        with Running(server, [server_cpu]) as running:
            before = running.cpu_seconds()
            output([str(folder / "ringload"), f"tcp://127.0.0.1:{running.port}",
                    "--connections", words[0], "--rate", words[1],
                    "--duration", f"{options.seconds:g}s"], [client_cpu], RUN_SECONDS)
            return running.cpu_seconds() - before
    load = Load(client, int(words[1]), options.seconds)
    return measure(server, load, [server_cpu], [client_cpu])["cpu_us"]


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    known = {path.stem: Mechanism(path) for path in sorted(PATCHES.glob("*.patch"))}
    unknown = set(options.names) - set(known)
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    mechanisms = [known[name] for name in options.names or known]
    client = building.c_peers(["echo-load"], not options.no_build)["echo-load"]
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
                times = {name: _measure(each.row, binaries / name, client, options)
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
