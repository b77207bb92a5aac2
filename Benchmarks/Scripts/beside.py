"""What a blocked handler costs the other connections: one connection's handler blocks at each of
its messages; 119 others are compared with a run in which they are alone."""

import argparse
import dataclasses
import pathlib
import tempfile

import building
import machine
from blocking import COLUMNS, CONNECTIONS
from report import PER_MESSAGE, Need, Outcome, needs_table, results_table
from rounds import Values, in_turn
from servers import ON_EPOLL, ON_URING, Load, Server, chosen, measure

ALONE = "none"
# The title; the least rate, as a fraction of the rate alone; the largest p99 in ms.
BLOCKS = {
    "sleep": ("sleeps 50 ms", 0.95, 3),
    "compute": ("computes 50 ms", 0.75, 8),
    "vfork": ("waits 50 ms in vfork(2)", 0.95, 3),
    "fsync": ("writes 1 MiB to a file, and fsync(2)", 0.75, 3),
}


def _servers(options: argparse.Namespace) -> list[Server]:
    program = building.swift_products(
        ["blocking-echo-network"], not options.no_build)["blocking-echo-network"]
    command = (program, "--port", "0")
    return chosen([
        Server("ring-network", command, ON_URING),
        Server("ring-network on epoll", command, ON_EPOLL),
    ], options.names)


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    client = building.c_peers(["echo-load"], not options.no_build)["echo-load"]
    others = CONNECTIONS - 1
    print(f"## {others} connections beside one whose handler blocks, 64-byte messages\n")
    print(machine.facts(options.rounds, options.cpus))
    print(f"- server and client share both CPUs, {options.seconds:g} s a run; "
          "the slow connection is not measured")
    for server in _servers(options):
        def measure_block(block: str, server: Server = server) -> Values:
            count = others if block == ALONE else CONNECTIONS
            load = Load(client, count, options.seconds, excludes_first=block != ALONE)
            # Beside the programs, because /tmp may be in memory.
            with tempfile.TemporaryDirectory(dir=building.SCRATCH) as folder:
                command = (*server.command, "--block", block,
                           "--file", str(pathlib.Path(folder) / "data"))
                return measure(dataclasses.replace(server, command=command), load,
                               options.cpus, options.cpus)

        results = in_turn(options, outcome, server.name, [ALONE, *BLOCKS], measure_block)
        _print_section(server.name, results, outcome)
    return outcome


def _print_section(server: str, results: dict[str, Values], outcome: Outcome) -> None:
    titles = {ALONE: "alone", **{block: title for block, (title, _, _) in BLOCKS.items()}}
    titled = {titles[block]: result for block, result in results.items()}
    print(f"\n### {server}\n")
    print(results_table("the first handler", COLUMNS, titled, PER_MESSAGE))
    needs = []
    for block, (title, least_rate, most_ms) in BLOCKS.items():
        result = results[block]
        needs += [
            Need(f"rate of {server} / alone, {title}", result.get("rate"),
                 results[ALONE].get("rate"), at_least=least_rate),
            Need(f"p99 of {server}, of {most_ms} ms, {title}", result.get("p99_us"),
                 most_ms * 1e3, at_most=1.0),
        ]
    print("\n" + needs_table(needs, outcome), flush=True)
