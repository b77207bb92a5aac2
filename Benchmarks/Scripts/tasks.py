"""Swift's tasks on libdispatch and on the event loops: what they cost, and beside blocked ones."""

import argparse

import building
import machine
from report import Need, Outcome, needs_table, number, table
from rounds import Values, in_turn
from servers import output, values

RUN_SECONDS = 60
DISPATCH, RING, GO = "libdispatch", "event loops", "go"
# The required times: as a fraction of libdispatch's, and in microseconds.
MOST_OF_DISPATCH = {
    "yield_ns": 0.4, "queue_actor_ns": 0.12, "default_actor_ns": 1.05, "main_actor_ns": 0.12}
MOST = {"sleep_10ms_p50_us": 10_200, "awaited_background_us": 100_000, "blocked_200_us": 300_000,
        "beside_p50_us": 100, "beside_p99_us": 1_000}


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    products = building.swift_products(
        ["blocking-tasks-dispatch", "blocking-tasks-ring"], not options.no_build)
    programs = {DISPATCH: products["blocking-tasks-dispatch"],
                RING: products["blocking-tasks-ring"]}
    if go := building.go_peer("blocking-tasks", not options.no_build):
        programs[GO] = go
    print(f"## Tasks\n\n{machine.facts(options.rounds, options.cpus)}")

    def measure(name: str) -> Values:
        return values(output([programs[name]], options.cpus, RUN_SECONDS))

    results = in_turn(options, outcome, "tasks", programs, measure)
    rows = results[RING] or results[DISPATCH]
    print("\n" + table(["", *results], [
        [row, *(number(result[row]) if row in result else "-" for result in results.values())]
        for row in rows]))
    ring, dispatch = results[RING], results[DISPATCH]
    print("\n" + needs_table([
        *(Need(f"{row}, event loops / libdispatch", ring.get(row), dispatch.get(row), at_most=most)
          for row, most in MOST_OF_DISPATCH.items()),
        *(Need(f"{row}, of {most:,}", ring.get(row), most, at_most=1)
          for row, most in MOST.items()),
    ], outcome), flush=True)
    return outcome
