"""Echo servers under an open loop: messages are due at fixed times, whether earlier ones are
answered or not. Few and many connections, and processes that keep both CPUs busy."""

import argparse
import contextlib
import subprocess
import sys
from collections.abc import Iterator

import building
import machine
from report import Need, Outcome, needs_table, number, results_table, table
from rounds import Values, in_turn
from servers import (
    LOAD_EXTRA_SECONDS, START_SECONDS, Load, Server, echo_servers, measure, measurer, pinned)

EPOLL, RING = "c-epoll", "echo-server"
CONNECTIONS, MANY_CONNECTIONS = 64, 10_000
# The required CPU time of EchoServer, as a fraction of plain C's, by messages a second.
ALONE = {1_000: 1.6, 10_000: 1.12, 30_000: 1.08, 60_000: 1.08}
BESIDE_BUSY = {2_000: 1.3, 10_000: 1.2}
MANY_RATE, MANY_BOUND, MOST_BYTES_EACH = 1_000, 1.4, 900
# Ends even if this process is killed.
BUSY = """
import sys, time
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end: pass
"""


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    client = building.c_peers(["open-load"], not options.no_build)["open-load"]
    servers = echo_servers(options)
    server_cpu, client_cpu = options.cpus
    print(f"## An open loop: messages of 64 bytes at fixed times\n\n"
          f"{machine.facts(options.rounds, options.cpus)}")
    print(f"- server on CPU {server_cpu}, client on CPU {client_cpu}, {options.seconds:g} s a run; "
          "latencies count from the time when a message is due")

    def load(connections: int, rate: int) -> Load:
        return Load(client, connections, options.seconds, arguments=("--rate", str(rate)))

    for rate, bound in ALONE.items():
        title = f"{CONNECTIONS} connections, {rate:,} messages a second"
        alone = measurer(servers, load(CONNECTIONS, rate), options.cpus)
        results = in_turn(options, outcome, title, *alone)
        _print_section(title, results, _cpu_needs(results, bound, title), outcome)
    _compare_many(options, servers, load(MANY_CONNECTIONS, MANY_RATE), outcome)
    for rate, bound in BESIDE_BUSY.items():
        _compare_beside_busy(options, servers, load(CONNECTIONS, rate), rate, bound, outcome)
    return outcome


def _compare_many(
    options: argparse.Namespace, servers: list[Server], load: Load, outcome: Outcome
) -> None:
    title = f"{load.connections:,} connections, {MANY_RATE:,} messages a second in all"
    results = in_turn(options, outcome, title, *measurer(servers, load, options.cpus))
    needs = _cpu_needs(results, MANY_BOUND, title)
    needs += [Need(f"bytes a connection of {name}, of {MOST_BYTES_EACH}", result.get("bytes_each"),
                   MOST_BYTES_EACH, at_most=1.0)
              for name, result in results.items() if name.startswith(RING)]
    _print_section(title, results, needs, outcome)
    print("\n" + table(["server", "bytes a connection"], [
        [name, number(result["bytes_each"])] for name, result in results.items() if result]),
        flush=True)


def _compare_beside_busy(
    options: argparse.Namespace, servers: list[Server], load: Load, rate: int, bound: float,
    outcome: Outcome
) -> None:
    title = f"{load.connections} connections, {rate:,} messages a second, beside busy processes"
    by_name = {server.name: server for server in servers}

    def measure_beside(name: str) -> Values:
        with busy(options.cpus, options.seconds):
            return measure(by_name[name], load, options.cpus, options.cpus)

    results = in_turn(options, outcome, title, by_name, measure_beside)
    reference = results.get(EPOLL, {}).get("p99_us")
    needs = _cpu_needs(results, bound, title)
    needs += [Need(f"p99 of {name} / {EPOLL}, {title}", result.get("p99_us"), reference,
                   at_most=1.0)
              for name, result in results.items() if name.startswith(RING)]
    _print_section(title, results, needs, outcome)


@contextlib.contextmanager
def busy(cpus: list[int], seconds: float) -> Iterator[None]:
    """One process for each CPU that keeps it busy, beside a load of so many seconds."""
    longest = seconds + START_SECONDS + LOAD_EXTRA_SECONDS
    with contextlib.ExitStack() as stack:
        for cpu in cpus:
            process = subprocess.Popen(
                [*pinned([cpu]), sys.executable, "-c", BUSY, str(longest)],
                stdin=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield


def _cpu_needs(results: dict[str, Values], bound: float, title: str) -> list[Need]:
    reference = results.get(EPOLL, {}).get("cpu_us")
    return [Need(f"CPU of {name} / {EPOLL}, {title}", result.get("cpu_us"), reference,
                 at_most=bound)
            for name, result in results.items() if name.startswith(RING)]


def _print_section(
    title: str, results: dict[str, Values], needs: list[Need], outcome: Outcome
) -> None:
    keys = ["cpu_us", "rate", "p50_us", "p99_us", "p999_us", "late_p99_us", "switches", "threads"]
    print(f"\n### {title}\n")
    print(results_table("server", keys, results))
    print("\n" + needs_table(needs, outcome), flush=True)
