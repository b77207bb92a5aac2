"""Servers that move much data, compared with plain C: large echoes, a sink, a source, and messages
for a thousand connections. Each server alone on one CPU, the load client on another."""

import argparse
import dataclasses

import building
import machine
from report import Need, Outcome, needs_table, results_table
from rounds import Values, in_turn
from servers import ON_EPOLL, ON_URING, Load, Server, chosen, measurer

# The kinds of servers. In each, the first is the one in C.
ECHO, SINK, SOURCE, BROADCAST = "message", "MiB received", "MiB sent", "delivery"


@dataclasses.dataclass(frozen=True)
class Scenario:
    """`most` is the required CPU time of a server, as a fraction of plain C's."""
    kind: str
    client: str
    connections: int
    arguments: tuple[str, ...]
    most: float


SCENARIOS = {
    "64 x 16 KiB": Scenario(ECHO, "echo-load", 64, ("--size", "16384"), 1.08),
    "8 x 64 KiB": Scenario(ECHO, "echo-load", 8, ("--size", "65536"), 1.15),
    "8 x 256 KiB": Scenario(ECHO, "echo-load", 8, ("--size", "262144"), 1.10),
    "sink, 1 connection": Scenario(SINK, "bulk-load", 1, ("--mode", "sink"), 1.10),
    "sink, 8 connections": Scenario(SINK, "bulk-load", 8, ("--mode", "sink"), 1.10),
    "source, 1 connection": Scenario(SOURCE, "bulk-load", 1, ("--mode", "source"), 1.10),
    "source, 8 connections": Scenario(SOURCE, "bulk-load", 8, ("--mode", "source"), 1.10),
    "broadcast to 1,000": Scenario(BROADCAST, "bulk-load", 1000, ("--mode", "broadcast"), 1.05),
}


def _servers(options: argparse.Namespace) -> dict[str, list[Server]]:
    """The servers of each kind; only those that are named, if any are."""
    build = not options.no_build
    peers = building.c_peers(["epoll-echo", "epoll-bulk"], build)
    swift = building.swift_products(["EchoServer", "broadcast-ring"], build)
    port = ("--port", "0")

    def compared(c: str, arguments: tuple[str, ...], name: str, *command: str) -> list[Server]:
        peer = peers["epoll-bulk" if arguments else "epoll-echo"]
        return [Server(c, (peer, *port, *arguments)),
                Server(name, (*command, *port), ON_URING),
                Server(f"{name} on epoll", (*command, *port), ON_EPOLL)]

    echo = swift["EchoServer"]
    kinds = {
        ECHO: compared("c-epoll", (), "echo-server", echo),
        SINK: compared("c-epoll-sink", ("--mode", "sink"), "discard", echo, "--mode", "discard"),
        SOURCE: compared(
            "c-epoll-source", ("--mode", "source"), "chargen", echo, "--mode", "chargen"),
        BROADCAST: compared(
            "c-epoll-broadcast", ("--mode", "broadcast"), "broadcast", swift["broadcast-ring"]),
    }
    wanted = chosen([server for servers in kinds.values() for server in servers], options.names)
    return {kind: [server for server in servers if server in wanted]
            for kind, servers in kinds.items()}


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    clients = building.c_peers(["echo-load", "bulk-load"], not options.no_build)
    servers = _servers(options)
    server_cpu, client_cpu = options.cpus
    print(f"## Much data\n\n{machine.facts(options.rounds, options.cpus)}")
    print(f"- server on CPU {server_cpu}, client on CPU {client_cpu}, {options.seconds:g} s a run")
    for title, scenario in SCENARIOS.items():
        load = Load(clients[scenario.client], scenario.connections, options.seconds,
                    arguments=scenario.arguments)
        names, measure = measurer(servers[scenario.kind], load, options.cpus)
        if names:
            results = in_turn(options, outcome, title, names, measure)
            _print_section(title, scenario, results, outcome)
    return outcome


def _print_section(
    title: str, scenario: Scenario, results: dict[str, Values], outcome: Outcome
) -> None:
    keys = ["cpu_us", "client_cpu_us", "rate", "p50_us", "p99_us", "switches"]
    print(f"\n### {title[0].upper()}{title[1:]}\n")
    print(results_table(f"for each {scenario.kind}", keys, results))
    cpu = {name: result.get("cpu_us") for name, result in results.items()}
    c = next((name for name in cpu if name.startswith("c-")), "plain C")
    needs = [Need(f"CPU of {name} / {c}, {title}", cpu[name], cpu.get(c), at_most=scenario.most)
             for name in cpu if name != c]
    print("\n" + needs_table(needs, outcome), flush=True)
