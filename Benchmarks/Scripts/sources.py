"""Many sources, and the latency of file-system sources."""

import argparse

import building
import machine
from report import Need, Outcome, needs_table, number, table
from rounds import Values, in_turn
from servers import output, values

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


def _run(command: list[str], cpus: list[int]) -> Values:
    return values(output(command, cpus, RUN_SECONDS, (("RINGDISPATCH_LOG", "off"),)))


def _many(
    options: argparse.Namespace, outcome: Outcome, programs: dict, kind: str, count: int
) -> None:
    def run(name: str) -> Values:
        return _run([programs[f"many-sources-{name}"], kind, str(count)], options.cpus)

    results = in_turn(options, outcome, f"{count:,} {kind}", ("dispatch", "ring"), run)
    print(f"\n### {count:,} {kind}\n")
    print(table(
        ["library", "bytes/source", "ns to arm", "ns to cancel", "ns for both"],
        [[name, *(number(result[measure]) for measure in MEASURES)]
         for name, result in results.items() if result]))
    ours, theirs = results.get("ring", {}), results.get("dispatch", {})
    print("\n" + needs_table([
        Need("bytes of ring, of 400", ours.get("bytes"), MOST_BYTES, at_most=1),
        Need("time of dispatch / ring", theirs.get("both_ns"), ours.get("both_ns"), at_least=3),
    ], outcome), flush=True)


def _latency(options: argparse.Namespace, outcome: Outcome, program: str) -> None:
    """Both waiting threads run on the writer's CPU, or both on the other one: the CPU of a thread
    matters more than the work it does there."""
    places = {"same": "on the writer's CPU", "other": "on another CPU"}
    results = in_turn(
        options, outcome, "latency", places, lambda place: _run([program, place], options.cpus))
    print("\n### From a write to the handler of a file-system source\n")
    print(table(["", *(f"ns {place}" for place in places.values())], [
        [name, *(number(results[place].get(name)) for place in places)]
        for name in results["same"]]))
    print("\n" + needs_table([
        Need(f"source / a thread that reads inotify, {name}, {where}",
             results[place].get(f"source_{key}_ns"), results[place].get(f"inotify_{key}_ns"),
             at_most=1.2)
        for place, where in places.items()
        for key, name in {"busy": "writer busy", "idle": "after a pause"}.items()
    ], outcome), flush=True)
