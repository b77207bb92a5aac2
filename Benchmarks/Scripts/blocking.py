"""Echo servers on two CPUs shared with the client; one connection's handler is slow."""

import argparse
import dataclasses

import building
import machine
from report import PER_MESSAGE, Need, Outcome, needs_table, results_table
from rounds import Values, in_turn
from servers import ON_EPOLL, ON_URING, Load, Server, chosen, measure

CONNECTIONS = 120
BLOCKS = {
    "none": "no handler blocks",
    "sleep": "one handler sleeps 50 ms per message",
    "compute": "one handler computes 50 ms per message",
}
DISPATCH, RING, NETWORK = "libdispatch", "ring", "ring-network"
MOST_P99_US = 5_000
COLUMNS = ["rate", "p50_ms", "p99_ms", "p999_ms", "cpu_us", "switches", "threads"]


def _servers(options: argparse.Namespace) -> list[Server]:
    swift = building.swift_products(
        ["blocking-echo-dispatch", "blocking-echo-ring", "blocking-echo-network", "nio-echo"],
        not options.no_build)
    port = ("--port", "0")
    return chosen([
        Server("swift-nio-1-loop", (swift["nio-echo"], *port, "--loops", "1")),
        Server("swift-nio-2-loops", (swift["nio-echo"], *port, "--loops", "2")),
        Server(DISPATCH, (swift["blocking-echo-dispatch"], *port)),
        Server(RING, (swift["blocking-echo-ring"], *port), ON_URING),
        Server(NETWORK, (swift["blocking-echo-network"], *port), ON_URING),
        Server("ring-epoll", (swift["blocking-echo-ring"], *port), ON_EPOLL),
    ], options.names)


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    client = building.c_peers(["echo-load"], not options.no_build)["echo-load"]
    servers = {server.name: server for server in _servers(options)}
    connections = (options.connections or [CONNECTIONS])[0]
    load = Load(client, connections, options.seconds, excludes_first=True)
    print(f"## A slow handler beside {connections - 1} fast connections, 64-byte messages\n")
    print(machine.facts(options.rounds, options.cpus))
    print(f"- server and client share both CPUs, {options.seconds:g} s a run; "
          "the slow connection is not measured")
    for block, title in BLOCKS.items():
        def measure_blocked(name: str, block: str = block) -> Values:
            command = (*servers[name].command, "--block", block)
            return measure(dataclasses.replace(servers[name], command=command), load,
                           options.cpus, options.cpus)

        results = in_turn(options, outcome, title, servers, measure_blocked)
        _print_section(title, results, outcome, has_needs=block != "none")
    return outcome


def _print_section(
    title: str, results: dict[str, Values], outcome: Outcome, has_needs: bool
) -> None:
    print(f"\n### {title[0].upper()}{title[1:]}\n")
    print(results_table("server", COLUMNS, results, PER_MESSAGE), flush=True)
    if not has_needs:
        return
    ours, theirs = results.get(RING, {}), results.get(DISPATCH, {})
    network = results.get(NETWORK, {})
    print("\n" + needs_table([
        Need(f"rate of {RING} / {DISPATCH}, {title}", ours.get("rate"), theirs.get("rate"),
             at_least=1.4),
        Need(f"p99 of {RING} / {DISPATCH}, {title}", ours.get("p99_us"), theirs.get("p99_us"),
             at_most=1.0),
        Need(f"rate of {NETWORK} / {DISPATCH}, {title}", network.get("rate"), theirs.get("rate"),
             at_least=1.4),
        Need(f"p99 of {NETWORK}, of 5 ms, {title}", network.get("p99_us"), MOST_P99_US,
             at_most=1.0),
    ], outcome), flush=True)
