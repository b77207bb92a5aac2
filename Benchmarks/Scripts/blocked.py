"""Queues that block again and again, beside an unrelated item: how long does it wait?"""

import argparse

import building
import machine
from report import Need, Outcome, needs_table, number, table
from rounds import Values, in_turn
from servers import output, values

RUN_SECONDS = 60
MOST_P99_US = 300
ROWS = {
    "sleep 2": "2 queues that sleep", "sleep 200": "200 queues that sleep",
    "sleep 400": "400 queues that sleep",
    "read 200": "200 queues in read(2), all released at once",
    "sleep 200 global": "200 blocks of a global queue that sleep",
    "compute 4": "4 queues that compute",
}
STARTS = {"start read 400": "in read(2)", "start semaphore 400": "in a semaphore"}
LIBRARIES = ("dispatch", "ring")


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    programs = building.swift_products(
        [f"blocked-queues-{library}" for library in LIBRARIES], not options.no_build)
    print(f"## Queues that block for 100 ms, again and again\n\n"
          f"{machine.facts(options.rounds, options.cpus)}")

    def run(name: str, row: str) -> Values:
        command = [programs[f"blocked-queues-{name}"], *row.split()]
        return values(output(command, options.cpus, RUN_SECONDS))

    def measure(rows: dict[str, str]) -> dict[str, dict[str, Values]]:
        return {row: in_turn(options, outcome, title, LIBRARIES, lambda name, row=row:
                             run(name, row)) for row, title in rows.items()}

    waits = measure(ROWS)
    print("\n### An item every millisecond on an idle queue: the time until it runs\n")
    print(table(["beside", "library", "items", "p50 µs", "p99 µs"], [
        [ROWS[row], name, number(result["items"]),
         *(number(result[key]) if key in result else "never" for key in ("p50_us", "p99_us"))]
        for row, results in waits.items() for name, result in results.items() if result]))
    print("\n" + needs_table([
        Need(f"p99 of ring, of {MOST_P99_US} µs, {title}", waits[row]["ring"].get("p99_us"),
             MOST_P99_US, at_most=1)
        for row, title in ROWS.items() if not row.startswith("compute")
    ], outcome), flush=True)
    starts = measure(STARTS)
    print("\n### 400 queues whose items block: the time until 200 of them run\n")
    print(table(["", "library", "ms"], [
        [STARTS[row], name, number(result["half_ms"])]
        for row, results in starts.items() for name, result in results.items() if result]))
    print("\n" + needs_table([
        Need(f"time of ring / libdispatch, {title}", starts[row]["ring"].get("half_ms"),
             starts[row]["dispatch"].get("half_ms"), at_most=1)
        for row, title in STARTS.items()
    ], outcome), flush=True)
    return outcome
