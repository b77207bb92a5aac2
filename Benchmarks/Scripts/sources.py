"""Many sources at once, and how soon a file-system source tells of a write."""

import argparse
import os
import statistics
import subprocess
import sys

import building
import machine
from report import Need, Outcome, needs_table, number, table

RUN_SECONDS = 120
MOST_BYTES = 400
KINDS = {"timers": 100_000, "readers": 10_000}
MEASURES = ["bytes", "arm_ns", "cancel_ns", "both_ns"]


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    programs = building.swift_products(
        ["many-sources-ring", "many-sources-dispatch", "file-latency"], not options.no_build)
    print(f"## Sources\n\n{machine.facts(options.rounds, options.cpus)}")
    for kind, count in KINDS.items():
        _many(options, outcome, programs, kind, count)
    _latency(options, outcome, programs["file-latency"])
    return outcome


def _run(command: list[str], cpus: list[int]) -> dict[str, float]:
    result = subprocess.run(
        ["taskset", "-c", ",".join(map(str, cpus)), *command], capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=RUN_SECONDS,
        env={**os.environ, "RINGDISPATCH_LOG": "off"})
    if result.returncode != 0:
        raise RuntimeError((result.stdout + result.stderr).strip()[-500:])
    pairs = (line.split() for line in result.stdout.splitlines())
    return {name: float(value) for name, value in pairs}


def _medians(
    options: argparse.Namespace, outcome: Outcome, commands: dict[str, list[str]]
) -> dict[str, dict[str, float]]:
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
    for round_number in range(options.rounds):
        print(f"round {round_number + 1} of {options.rounds}", file=sys.stderr)
        for name, command in commands.items():
            try:
                runs[name].append(_run(command, options.cpus))
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                outcome.failures.append(f"{name}: {error}")
    return {
        name: {key: statistics.median(run[key] for run in list_) for key in list_[0]}
        for name, list_ in runs.items() if list_}


def _many(
    options: argparse.Namespace, outcome: Outcome, programs: dict, kind: str, count: int
) -> None:
    results = _medians(options, outcome, {
        name: [programs[f"many-sources-{name}"], kind, str(count)]
        for name in ("dispatch", "ring")})
    print(f"\n### {count:,} {kind}\n")
    print(table(
        ["library", "bytes/source", "ns to arm", "ns to cancel", "ns for both"],
        [[name, *(number(result[measure]) for measure in MEASURES)]
         for name, result in results.items()]))
    ours, theirs = results.get("ring", {}), results.get("dispatch", {})
    print("\n" + needs_table([
        Need("bytes of ring, of 400", ours.get("bytes"), MOST_BYTES, at_most=1),
        Need("time of dispatch / ring", theirs.get("both_ns"), ours.get("both_ns"), at_least=3),
    ], outcome), flush=True)


def _latency(options: argparse.Namespace, outcome: Outcome, program: str) -> None:
    results = _medians(options, outcome, {"file": [program]}).get("file", {})
    print("\n### From a write to the handler of a file-system source\n")
    print(table(["", "ns"], [[name, number(value)] for name, value in results.items()]))
    print("\n" + needs_table([
        Need(f"source / a thread that reads inotify, {name}", results.get(f"source_{key}_ns"),
             results.get(f"inotify_{key}_ns"), at_most=1.2)
        for key, name in {"busy": "write after write", "idle": "after a pause"}.items()
    ], outcome), flush=True)
