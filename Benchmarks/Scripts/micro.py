"""The same micro-benchmarks on two libraries."""

import argparse
import subprocess
import sys

import building
import machine
from report import NEED_HEADS, Need, Outcome, number, table
from rounds import MeasureError, Values, medians
from servers import output

ROW_SECONDS = 120

# The required speed-up over libdispatch in the same run.
NEEDED = {
    "sync-idle": 5, "sync-contended": 4, "sync-readers-writer": 4,
    "async-burst-one-thread": 3, "async-burst-two-threads": 3, "async-self-chain": 2,
    "async-ping-pong": 10, "async-1000-queues": 8, "async-global-fan-out": 4,
    "async-concurrent": 4, "async-barrier": 3, "async-beside-computing": 0.5,
    "async-and-wait": 3, "async-and-wait-after-idle": 1,
    "group-enter-leave": 1.5, "queue-create-destroy": 1.5, "concurrent-perform": 1.5,
    "semaphore-uncontended": 1,
    "timer-create-cancel": 3, "async-after": 3,
    "timer-lateness-p50": 1, "timer-lateness-p99": 1,
    "source-add": 2, "source-read-round-trip": 3,
}


def _measure(path: str, name: str, options: argparse.Namespace) -> Values:
    """All rows of the benchmark with this name, measured in a separate process."""
    command = [path, name] + (["--quick"] if options.quick else [])
    lines = output(command, options.cpus, ROW_SECONDS)
    pairs = (line.split("\t") for line in lines)
    return {row: float(nanoseconds) for row, nanoseconds in pairs}


def _wanted(path: str, options: argparse.Namespace) -> list[str]:
    listed = output([path, "--list"], options.cpus, ROW_SECONDS)
    if set(listed) != set(NEEDED):
        sys.exit(f"micro.py and the benchmarks disagree on {set(listed) ^ set(NEEDED)}")
    unknown = set(options.names) - set(listed)
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(listed)}")
    return [name for name in listed if not options.names or name in options.names]


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    products = building.swift_products(["micro-dispatch", "micro-ring"], not options.no_build)
    names = _wanted(products["micro-dispatch"], options)
    facts = machine.facts(options.rounds, options.cpus)
    rounds: dict[str, list[Values]] = {product: [] for product in products}
    for round_number in range(options.rounds):
        print(f"round {round_number + 1} of {options.rounds}", file=sys.stderr)
        # The order alternates from round to round.
        order = sorted(products, reverse=round_number % 2 == 1)
        values: dict[str, Values] = {product: {} for product in products}
        for name in names:
            for product in order:
                if name in values[product]:
                    continue
                try:
                    values[product].update(_measure(products[product], name, options))
                except (MeasureError, subprocess.SubprocessError) as error:
                    outcome.failures.append(f"{product} {name}: {error}")
                    print(outcome.failures[-1], file=sys.stderr)
        for product in products:
            rounds[product].append(values[product])
    print(f"## Micro-benchmarks, ns per operation\n\n{facts}\n")
    print(_table(names, rounds, outcome))
    return outcome


def _table(
    names: list[str], rounds: dict[str, list[Values]], outcome: Outcome
) -> str:
    rows = []
    for name in names:
        values = []
        for product in ("micro-dispatch", "micro-ring"):
            runs = {index: {name: run[name]} for index, run in enumerate(rounds[product])
                    if name in run}
            values.append(medians(runs).get(name))
        cells = ["-" if value is None else number(value) for value in values]
        _, *verdict = Need(name, *values, at_least=NEEDED[name]).row(outcome)
        rows.append([name, *cells, *verdict])
    return table(["benchmark", "libdispatch", "RingDispatch", *NEED_HEADS], rows)
