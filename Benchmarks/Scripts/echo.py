"""Echo servers, each alone on one CPU, with the load client on another."""

import argparse

import building
import machine
from report import Need, Outcome, needs_table, number, table
from rounds import Values, in_turn
from servers import ON_EPOLL, ON_URING, Load, Server, chosen, measurer

EPOLL, URING, NIO = "c-epoll", "c-io_uring", "swift-nio"
DISPATCH, RING, RING_EPOLL = "gcd-echo-libdispatch", "gcd-echo-ring", "gcd-echo-ring-epoll"
ECHO_SERVER = "echo-server-ring"

# Where server and client run, and whether they share both CPUs.
PLACES = {"": False, ", server and client on both CPUs": True}

# The required ratio of CPU time per message, libdispatch's to ours, by number of connections.
LIBDISPATCH_FACTOR = {64: 2.0, 1000: 1.6}


def _servers(options: argparse.Namespace) -> list[Server]:
    build = not options.no_build
    peers = building.c_peers(["epoll-echo", "uring-echo"], build)
    names = options.names
    wanted = ["gcd-echo-dispatch", "nio-echo", "GCDEcho"]
    if not names or ECHO_SERVER in names:
        wanted.append("EchoServer")
    swift = building.swift_products(wanted, build)
    port = ("--port", "0")
    servers = [
        Server(EPOLL, (peers["epoll-echo"], *port)),
        Server(URING, (peers["uring-echo"], *port)),
        Server(NIO, (swift["nio-echo"], *port)),
        Server(DISPATCH, (swift["gcd-echo-dispatch"], *port)),
        Server(RING, (swift["GCDEcho"], *port), ON_URING),
        Server(RING_EPOLL, (swift["GCDEcho"], *port), ON_EPOLL),
    ]
    if "EchoServer" in swift:
        servers.append(Server(ECHO_SERVER, (swift["EchoServer"], *port), ON_URING))
    return chosen(servers, names)


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    client = building.c_peers(["echo-load"], not options.no_build)["echo-load"]
    servers = _servers(options)
    server_cpu, client_cpu = options.cpus
    print(f"## Echo, 64-byte messages\n\n{machine.facts(options.rounds, options.cpus)}")
    print(f"- server on CPU {server_cpu}, client on CPU {client_cpu}, {options.seconds:g} s a run")
    for connections in options.connections or [64, 1000]:
        load = Load(client, connections, options.seconds)
        for place, shares in PLACES.items():
            title = f"{connections} connections{place}"
            results = in_turn(
                options, outcome, title, *measurer(servers, load, options.cpus, shares))
            _print_section(title, connections, results, outcome)
    return outcome


def _print_section(
    title: str, connections: int, results: dict[str, Values], outcome: Outcome
) -> None:
    def cpu(name: str) -> float | None:
        return results.get(name, {}).get("cpu_us")

    def ratio(name: str, other: str) -> str:
        return f"{cpu(name) / cpu(other):.2f}" if cpu(name) and cpu(other) else "-"

    rows = []
    for name, result in results.items():
        if not result:
            rows.append([name, "failed", *["-"] * 8])
            continue
        rows.append([
            name, number(result["cpu_us"]), number(result["rate"]), number(result["p50_us"]),
            number(result["p99_us"]), f"{result['switches']:.3f}", f"{result['threads']:.0f}",
            ratio(name, EPOLL), ratio(name, DISPATCH), ratio(name, NIO)])
    print(f"\n### {title}\n")
    print(table(
        ["server", "CPU µs/message", "messages/s", "p50 µs", "p99 µs", "switches/message",
         "threads", "CPU/epoll", "CPU/libdispatch", "CPU/NIO"], rows))
    factor = LIBDISPATCH_FACTOR.get(connections, 1.6)
    print("\n" + needs_table([
        Need(f"CPU of {DISPATCH} / {RING}", cpu(DISPATCH), cpu(RING), at_least=factor),
        Need(f"CPU of {RING} / {EPOLL}", cpu(RING), cpu(EPOLL), at_most=1.15),
        Need(f"CPU of {RING} / {NIO}", cpu(RING), cpu(NIO), at_most=0.8),
        Need(f"CPU of {RING_EPOLL} / {RING}", cpu(RING_EPOLL), cpu(RING), at_most=1.15),
    ], outcome), flush=True)
