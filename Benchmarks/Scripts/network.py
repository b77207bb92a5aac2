"""EchoServer, built on RingNetwork, compared with plain C and SwiftNIO: several kinds of load, each
server alone on one CPU, the load client on another. And Proxy, compared with a proxy in plain C."""

import argparse
import socket
import subprocess
import time

import building
import machine
import proxies
from report import Need, Outcome, needs_table, number, results_table, table
from rounds import MeasureError, Values, in_turn
from servers import (
    ON_EPOLL, ON_URING, SHORT_CONNECTIONS_SECONDS, Load, Running, Server, chosen, measurer, output,
    resident_bytes, values)

EPOLL, URING, NIO, RING = "c-epoll", "c-io_uring", "swift-nio", "echo-server"
RING_ON_EPOLL = "echo-server on epoll"
# Only if they are named: one server with a handler, and with a task for each connection.
NIO_TASKS = "swift-nio-tasks"
HANDLER, SPAN, ARRAY = FORMS = [f"async-echo-{form}" for form in ("handler", "span", "array")]
# Never sleeps: the limit of spinning with this client, which sleeps. With one connection only.
SPINNING, ALONE = "c-epoll, spinning", "1 connection"

# The required CPU time of EchoServer, as a fraction of plain C's and of SwiftNIO's.
SCENARIOS = {
    "64 connections": (Load("echo-load", 64, 2), 1.05, 1 / 1.35),
    "1000 connections": (Load("echo-load", 1000, 2), 1.05, 1 / 1.35),
    "64 connections, 16 in the pipeline": (
        Load("echo-load", 64, 2, arguments=("--pipeline", "16")), 1.10, None),
    "64 connections, 4 KiB": (Load("echo-load", 64, 2, arguments=("--size", "4096")), 1.10, None),
    ALONE: (Load("echo-load", 1, 2), None, None),
    "connect, one message, close": (
        Load("echo-churn", 64, 2, arguments=("--warmup", "0.1")), 1.15, None),
}
IDLE_CONNECTIONS = 10_000


def _servers(options: argparse.Namespace) -> list[Server]:
    build = not options.no_build
    peers = building.c_peers(["epoll-echo", "uring-echo"], build)
    wanted = ["nio-echo", "EchoServer"]
    if any(name in FORMS for name in options.names):
        wanted.append("async-echo")
    swift = building.swift_products(wanted, build)
    port = ("--port", "0")
    servers = [
        Server(EPOLL, (peers["epoll-echo"], *port)),
        Server(SPINNING, (peers["epoll-echo"], *port, "--spin")),
        Server(URING, (peers["uring-echo"], *port)),
        Server(NIO, (swift["nio-echo"], *port)),
        Server(RING, (swift["EchoServer"], *port), ON_URING),
        Server(RING_ON_EPOLL, (swift["EchoServer"], *port), ON_EPOLL),
    ]
    if NIO_TASKS in options.names:
        servers.append(Server(NIO_TASKS, (swift["nio-echo"], *port, "--form", "tasks")))
    if "async-echo" in swift:
        servers += [Server(form, (swift["async-echo"], *port, "--form", form.split("-")[-1]),
                           ON_URING) for form in FORMS]
    return chosen(servers, [name for name in options.names if name not in proxies.NAMES])


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    if not options.names or not set(options.names) <= set(proxies.NAMES):
        _compare_servers(options, outcome)
    names = [name for name in proxies.NAMES if not options.names or name in options.names]
    if names:
        proxies.compare(options, names, outcome)
    return outcome


def _compare_servers(options: argparse.Namespace, outcome: Outcome) -> None:
    clients = building.c_peers(["echo-load", "echo-churn"], not options.no_build)
    servers = _servers(options)
    server_cpu, client_cpu = options.cpus
    print(f"## EchoServer\n\n{machine.facts(options.rounds, options.cpus)}")
    print(f"- server on CPU {server_cpu}, client on CPU {client_cpu}, {options.seconds:g} s a run, "
          f"short connections {SHORT_CONNECTIONS_SECONDS:g} s at most")
    for name, (scenario, of_c, of_nio) in SCENARIOS.items():
        is_short = scenario.client == "echo-churn"
        seconds = min(options.seconds, SHORT_CONNECTIONS_SECONDS) if is_short else options.seconds
        load = Load(clients[scenario.client], scenario.connections, seconds,
                    arguments=scenario.arguments)
        loaded = [server for server in servers if server.name != SPINNING or name == ALONE]
        results = in_turn(options, outcome, name, *measurer(loaded, load, options.cpus))
        _print_section(name, results, of_c, of_nio, outcome)
    sleeping = [server for server in servers if server.name != SPINNING]
    _compare_idle(sleeping, server_cpu, outcome)
    _compare_sends(options, outcome)


def _print_section(
    name: str, results: dict[str, Values], of_c: float | None, of_nio: float | None,
    outcome: Outcome
) -> None:
    def value(server: str, key: str = "cpu_us") -> float | None:
        return results.get(server, {}).get(key)

    print(f"\n### {name}\n")
    print(results_table("server", ["cpu_us", "rate", "p50_us", "p99_us", "switches"], results))
    needs = []
    if of_c is not None:
        needs.append(Need(f"CPU of {RING} / {URING}", value(RING), value(URING), at_most=of_c))
    else:
        needs.append(Need(f"p50 of {RING} / {EPOLL}", value(RING, "p50_us"),
                          value(EPOLL, "p50_us"), at_most=0.45))
        needs.append(Need(f"CPU of {RING} / {EPOLL}", value(RING), value(EPOLL), at_most=1.0))
    if of_nio is not None:
        needs.append(Need(f"CPU of {RING} / {NIO}", value(RING), value(NIO), at_most=of_nio))
    for form in (SPAN, ARRAY):
        if results.get(form):
            needs.append(Need(f"CPU of {form} / {HANDLER}", value(form), value(HANDLER),
                              at_most=1.1 if "close" in name else 1.15))
            needs.append(Need(f"CPU of {form} / {NIO_TASKS}", value(form), value(NIO_TASKS),
                              at_most=0.5))
    if results.get(SPAN) and name == ALONE:
        needs.append(Need(f"p50 of {SPAN} / {HANDLER}", value(SPAN, "p50_us"),
                          value(HANDLER, "p50_us"), at_most=1.1))
    print("\n" + needs_table(needs, outcome), flush=True)


# MARK: idle connections


def _idle_bytes(server: Server, cpu: int) -> float:
    """Memory per idle connection, after one message each."""
    with Running(server, [cpu]) as running:
        def greet() -> socket.socket:
            client = socket.create_connection(("127.0.0.1", running.port))
            client.sendall(b"hello")
            if client.recv(16) != b"hello":
                raise MeasureError("a greeting was not echoed")
            return client

        # The first connections set up what all share.
        first = [greet() for _ in range(100)]
        before = resident_bytes(running.pid)
        clients = [greet() for _ in range(IDLE_CONNECTIONS)]
        time.sleep(0.5)
        used = resident_bytes(running.pid) - before
        for client in first + clients:
            client.close()
        return used / IDLE_CONNECTIONS


def _compare_idle(servers: list[Server], cpu: int, outcome: Outcome) -> None:
    print(f"\n### {IDLE_CONNECTIONS:,} idle connections\n")
    results: Values = {}
    for server in servers:
        try:
            results[server.name] = _idle_bytes(server, cpu)
        except (MeasureError, OSError) as error:
            outcome.failures.append(f"{server.name}, idle connections: {error}")
    print(table(["server", "bytes each"],
                [[name, number(used)] for name, used in results.items()]))
    need = Need(f"bytes of {RING}, of 1024", results.get(RING), 1024, at_most=1.0)
    print("\n" + needs_table([need], outcome), flush=True)


# MARK: sends without a copy

SEND_SECONDS = 120


def _compare_sends(options: argparse.Namespace, outcome: Outcome) -> None:
    """Compares the sender's cost of send(2), of io_uring, and of io_uring without a copy, to decide
    whether a server should use the last at all."""
    program = building.c_peers(["uring-zero-copy"], not options.no_build)["uring-zero-copy"]
    try:
        times = values(output([program], options.cpus, SEND_SECONDS), "=")
    except (MeasureError, subprocess.TimeoutExpired) as error:
        outcome.failures.append(f"sends without a copy: {error}")
        return
    kinds = {"send(2)": "send", "the ring": "ring", "the ring, without a copy": "zero_copy"}
    sizes = sorted({int(name.rsplit("_", 1)[1]) for name in times})
    print("\n### Sends over loopback, CPU of the sender, ns a KiB\n")
    print(table(
        ["bytes", *kinds],
        [[f"{size:,}", *(number(times[f"{kind}_{size}"]) for kind in kinds.values())]
         for size in sizes]), flush=True)
