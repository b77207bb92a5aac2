"""KeyValueServer compared with Redis, under redis-benchmark: each server alone on one CPU."""

import argparse
import csv
import shutil
import subprocess
import sys

import building
import machine
from report import Need, Outcome, needs_table, results_table
from rounds import Values, in_turn
from servers import FREE_PORT, ON_URING, Running, Server, chosen, pinned

REDIS, RING = "redis", "key-value-server"
CLIENTS = 50
# Requests by pipeline length: two or three seconds of each kind.
REQUESTS = {1: 400_000, 16: 3_200_000}
RUN_SECONDS = 60


def _servers(options: argparse.Namespace) -> list[Server]:
    redis = shutil.which("redis-server")
    if redis is None or shutil.which("redis-benchmark") is None:
        sys.exit("compare.sh keyvalue needs redis-server and redis-benchmark: "
                 "apt-get install redis-server redis-tools")
    swift = building.swift_products(["KeyValueServer"], not options.no_build)
    return chosen([
        # Without persistence and log file, like KeyValueServer.
        Server(REDIS, (redis, "--port", FREE_PORT, "--bind", "127.0.0.1", "--save", "",
                       "--appendonly", "no", "--daemonize", "no"),
               announcement="ready to accept connections"),
        Server(RING, (swift["KeyValueServer"], "--port", "0"), ON_URING),
    ], options.names)


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    servers = {server.name: server for server in _servers(options)}
    server_cpu, client_cpu = options.cpus
    print(f"## KeyValueServer\n\n{machine.facts(options.rounds, options.cpus)}")
    print(f"- server on CPU {server_cpu}, redis-benchmark on CPU {client_cpu}, {CLIENTS} clients")
    for pipeline in REQUESTS:
        def measure(name: str, pipeline: int = pipeline) -> Values:
            return _measure(servers[name], pipeline, server_cpu, client_cpu)

        results = in_turn(options, outcome, f"pipeline {pipeline}", servers, measure)
        _print_section(pipeline, results, outcome)
    return outcome


def _measure(server: Server, pipeline: int, server_cpu: int, client_cpu: int) -> Values:
    with Running(server, [server_cpu]) as running:
        result = subprocess.run(
            [*pinned([client_cpu]), "redis-benchmark", "-p", str(running.port), "-t", "get,set",
             "-c", str(CLIENTS), "-P", str(pipeline), "-r", "100000", "--csv",
             "-n", str(REQUESTS[pipeline])],
            capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=RUN_SECONDS,
            check=True)
        cpu_seconds = running.cpu_seconds()
    rows = list(csv.DictReader(result.stdout.splitlines()))
    rates = {row["test"].lower(): float(row["rps"]) for row in rows}
    latencies = {f"{row['test'].lower()}_p99_ms": float(row["p99_latency_ms"]) for row in rows}
    requests = REQUESTS[pipeline] * len(rows)
    return {**rates, **latencies, "cpu_us": cpu_seconds * 1e6 / requests}


def _print_section(
    pipeline: int, results: dict[str, Values], outcome: Outcome
) -> None:
    print(f"\n### {CLIENTS} clients, pipeline {pipeline}\n")
    heads = {"set": "SET/s", "get": "GET/s", "set_p99_ms": "SET p99 ms",
             "get_p99_ms": "GET p99 ms", "cpu_us": "CPU µs a request"}
    print(results_table("server", list(heads), results, heads))
    ours, theirs = results.get(RING, {}), results.get(REDIS, {})
    print("\n" + needs_table([
        Need(f"{test.upper()}/s of {RING} / {REDIS}, pipeline {pipeline}", ours.get(test),
             theirs.get(test), at_least=1.0)
        for test in ("set", "get")], outcome), flush=True)
