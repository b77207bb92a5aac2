"""ringload compared with a plain C client that also checks bytes, and with wrk: the client's CPU
time per message, and the lateness of an open loop. Client and server have one CPU each."""

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import building
import machine
from report import Need, Outcome, needs_table, results_table
from rounds import MeasureError, Values, in_turn
from servers import FREE_PORT, Running, Server, pinned

C_CLIENT, WRK, RING = "c-epoll", "wrk", "ringload"
CONNECTIONS = [64, 1000]
RATE = 50_000
LATENESS_CONNECTIONS = 64
MOST_SECONDS = 60


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    build = not options.no_build
    peers = building.c_peers(["uring-echo", "echo-load"], build)
    ringload = building.static_sample("ringload", build)
    echo = Server("c-io_uring", (peers["uring-echo"], "--port", "0"))
    server_cpu, client_cpu = options.cpus
    print(f"## ringload\n\n{machine.facts(options.rounds, options.cpus)}")
    print(f"- server on CPU {server_cpu}, client on CPU {client_cpu}, {options.seconds:g} s a run")
    for connections in CONNECTIONS:
        clients = {
            C_CLIENT: [peers["echo-load"], "--port", "{port}", "--connections", str(connections),
                       "--seconds", str(options.seconds)],
            RING: _ringload(ringload, "tcp://127.0.0.1:{port}", connections, options.seconds),
        }
        title = f"{connections} connections, 64-byte messages"
        results = _rounds(options, outcome, title, echo, clients)
        needs = [_cpu_need(results, C_CLIENT, at_most=1.1)]
        _print(title, results, needs, outcome)
    _compare_requests(options, outcome, ringload)
    _measure_lateness(options, outcome, echo, ringload)
    return outcome


def _ringload(program: str, target: str, connections: int, seconds: float) -> list[str]:
    return [program, target, "--connections", str(connections), "--warmup", "500ms",
            "--duration", f"{round(seconds * 1000)}ms", "--json", "{report}"]


def _compare_requests(options: argparse.Namespace, outcome: Outcome, ringload: str) -> None:
    wrk = shutil.which("wrk")
    if wrk is None:
        sys.exit("compare.sh client needs wrk: apt-get install wrk")
    program = building.swift_products(["EchoServer"], not options.no_build)["EchoServer"]
    # The load goes to the HTTP port, which is therefore the announced one.
    server = Server("EchoServer", (program, "--port", "0", "--http-port", FREE_PORT))
    address = "http://127.0.0.1:{port}/healthz"
    connections = CONNECTIONS[0]
    clients = {
        WRK: [wrk, "-t1", f"-c{connections}", f"-d{max(1, round(options.seconds))}s", address],
        RING: _ringload(ringload, address, connections, max(1, round(options.seconds))),
    }
    title = f"{connections} connections, HTTP requests"
    results = _rounds(options, outcome, title, server, clients)
    _print(title, results, [_cpu_need(results, WRK, at_most=1.0)], outcome)


def _measure_lateness(
    options: argparse.Namespace, outcome: Outcome, server: Server, ringload: str
) -> None:
    command = _ringload(
        ringload, "tcp://127.0.0.1:{port}", LATENESS_CONNECTIONS, options.seconds)
    title = f"{RATE:,} messages a second, {LATENESS_CONNECTIONS} connections"
    results = _rounds(
        options, outcome, title, server, {RING: [*command, "--rate", str(RATE)]})
    late = results[RING].get("late_p99_us")
    print(f"\n### {title}\n")
    print(needs_table(
        [Need("p99 of the lateness in µs, of 50", late, 50, at_most=1.0)], outcome), flush=True)


# MARK: runs


def _rounds(
    options: argparse.Namespace, outcome: Outcome, title: str, server: Server,
    clients: dict[str, list[str]]
) -> dict[str, Values]:
    return in_turn(
        options, outcome, title, clients, lambda name: _run(server, clients[name], *options.cpus))


def _run(server: Server, command: list[str], server_cpu: int, client_cpu: int) -> Values:
    """The client's CPU time per message, as it reports it, or of its whole process."""
    with contextlib.ExitStack() as stack:
        running = stack.enter_context(Running(server, [server_cpu]))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        output = stack.enter_context(open(f"{folder}/out", "w+", encoding="utf-8"))
        report = f"{folder}/report.json"
        words = [word.format(port=running.port, report=report) for word in command]
        start = time.monotonic()
        process = subprocess.Popen(
            [*pinned([client_cpu]), *words], stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, env={**os.environ, "RINGDISPATCH_LOOPS": "1"})
        # os.wait4 returns the usage, which Popen.wait does not.
        watchdog = threading.Timer(MOST_SECONDS, lambda: os.kill(process.pid, signal.SIGKILL))
        watchdog.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            watchdog.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        output.seek(0)
        text = output.read()
        if process.returncode != 0:
            raise MeasureError(f"status {process.returncode}: {text[-500:]}")
        result = _parse_output(text, report)
    used = (usage.ru_utime + usage.ru_stime) * 1e6 / result["messages"]
    return {"cpu_us": used, "rate": result["messages"] / seconds, **result}


def _parse_output(text: str, report: str) -> Values:
    """The results of the C client or wrk, or of ringload's report: at least `messages`."""
    if os.path.exists(report):
        with open(report, encoding="utf-8") as file:
            result = json.load(file)
        values = {"messages": result["messages"], "rate": result["messages_per_second"],
                  "cpu_us": result["client_processor"]["microseconds_per_message"]}
        late = (result.get("open_loop") or {}).get("lateness_nanoseconds")
        return {**values, "late_p99_us": late["p99"] / 1e3} if late else values
    if requests := re.search(r"(\d+) requests in", text):
        return {"messages": int(requests[1])}
    values = dict(re.findall(r"^(\w+)=([\d.]+)$", text, re.MULTILINE))
    if "messages" not in values:
        raise MeasureError(f"no count in: {text[-500:]}")
    return {"messages": int(values["messages"]), "rate": float(values["rate"]),
            "cpu_us": float(values["client_cpu_us"])}


# MARK: tables


def _cpu_need(results: dict[str, Values], other: str, at_most: float) -> Need:
    return Need(f"CPU of {RING} / {other}", results[RING].get("cpu_us"),
                results[other].get("cpu_us"), at_most=at_most)


def _print(
    title: str, results: dict[str, Values], needs: list[Need], outcome: Outcome
) -> None:
    print(f"\n### {title}\n")
    print(results_table("client", ["cpu_us", "rate"], results, {"cpu_us": "CPU µs each"}))
    print("\n" + needs_table(needs, outcome), flush=True)
