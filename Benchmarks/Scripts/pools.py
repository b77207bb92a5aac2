"""FlyingFox's HTTP server with its own epoll pool, and with the event loops as its pool."""

import argparse
import json
import subprocess
import tempfile

import building
import machine
from report import Need, Outcome, needs_table, number, table
from rounds import MeasureError, Values, in_turn
from servers import FREE_PORT, Running, Server, pinned

# FlyingFox's own one as it is, and with TCP_NODELAY, as the other has it.
PLAIN, OWN = "own epoll pool", "own, TCP_NODELAY"
RING, INSTALLED = ".ring", ".ring, tasks on the loops"
CONNECTIONS = 64
RATE = 2_000


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    program = building.http_pools(not options.no_build)
    ringload = building.swift_products(["ringload"], not options.no_build)["ringload"]
    servers = {
        PLAIN: Server(PLAIN, (program, FREE_PORT, "own")),
        OWN: Server(OWN, (program, FREE_PORT, "own-no-delay")),
        RING: Server(RING, (program, FREE_PORT, "ring")),
        INSTALLED: Server(INSTALLED, (program, FREE_PORT, "ring", "--install")),
    }
    print(f"## FlyingFox\n\n{machine.facts(options.rounds, options.cpus)}")
    for title, rate in (("as fast as it goes", None), (f"{RATE:,} requests a second", RATE)):
        def measure(name: str, rate: int | None = rate) -> Values:
            return _measure(servers[name], ringload, rate, options)

        results = in_turn(options, outcome, title, servers, measure)
        print(f"\n### {CONNECTIONS} connections, {title}\n")
        print(table(["pool", "CPU µs a request", "requests/s", "p50 µs", "p99 µs"], [
            [name, *(number(result[key]) for key in ("cpu_us", "rate", "p50_us", "p99_us"))]
            for name, result in results.items() if result]))
        print("\n" + needs_table([
            Need(f"CPU of {name} / {OWN}", results[name].get("cpu_us"),
                 results[OWN].get("cpu_us"), at_most=1) for name in (RING, INSTALLED)
        ], outcome), flush=True)
    return outcome


def _measure(
    server: Server, ringload: str, rate: int | None, options: argparse.Namespace
) -> Values:
    server_cpu, client_cpu = options.cpus
    with Running(server, [server_cpu]) as running, \
            tempfile.TemporaryDirectory() as folder:
        command = [
            *pinned([client_cpu]), ringload, f"http://127.0.0.1:{running.port}/hello",
            "--connections", str(CONNECTIONS), "--warmup", "300ms", "--loops", "1",
            "--duration", f"{round(options.seconds * 1000)}ms", "--json", f"{folder}/report",
            "--pid", str(running.pid), *(["--rate", str(rate)] if rate else [])]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if result.returncode != 0:
            raise MeasureError(f"status {result.returncode}: {result.stderr[-500:]}")
        with open(f"{folder}/report", encoding="utf-8") as report:
            values = json.load(report)
    latency = values["latency_nanoseconds"]
    return {"cpu_us": values["server_processor"]["microseconds_per_message"],
            "rate": values["messages_per_second"],
            "p50_us": latency["p50"] / 1e3, "p99_us": latency["p99"] / 1e3}
