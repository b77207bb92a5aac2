#!/usr/bin/env python3
"""A Hummingbird server with 200 requests in handlers that block: how long does /ping take?

Runs the server on Swift's own executor, and with RingConcurrency.install() (--install). For each
blocking route, 200 connections send one request after the other. Meanwhile, /ping is requested at a
fixed rate, and its latency counts from when it was due.
"""

import argparse
import json
import pathlib
import re
import signal
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ROUTES = {
    "/sleep": "Thread.sleep, 100 ms",
    "/query": "GRDB: a scan of 20,000 rows, five connections",
    "/process": "Process.waitUntilExit, sleep 0.1",
}
BLOCKED = 200


def build(package: pathlib.Path, product: str) -> None:
    subprocess.run(
        ["swift", "build", "-c", "release", "--package-path", package, "--product", product],
        check=True)


def load(ringload: pathlib.Path, url: str, *options: str) -> subprocess.Popen:
    return subprocess.Popen(
        [ringload, url, "--warmup", "0s", "--stall-timeout", "2m", "--loops", "1", *options],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def measure(arguments: argparse.Namespace, route: str, installs: bool) -> dict:
    server = subprocess.Popen(
        [HERE / ".build/release/blocking-handlers", *(["--install"] if installs else [])],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    blocked = None
    try:
        port = re.search(r"listening on (\d+)", server.stdout.readline()).group(1)
        base = f"http://127.0.0.1:{port}"
        blocked = load(
            arguments.ringload, base + route, "--connections", str(BLOCKED), "--duration", "10m")
        try:
            blocked.wait(timeout=1)
            raise SystemExit(f"the load of {route} ended with status {blocked.returncode}")
        except subprocess.TimeoutExpired:
            pass  # All handlers block now.
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            pings = load(
                arguments.ringload, base + "/ping", "--connections", "64", "--rate", "100",
                "--duration", f"{arguments.seconds}s", "--json", report.name)
            if pings.wait() != 0:
                raise SystemExit(f"pings during {route}: ringload's status {pings.returncode}")
            return json.load(open(report.name))["latency_nanoseconds"]
    finally:
        for process in (blocked, server):
            if process:
                process.send_signal(signal.SIGKILL)
                process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=int, default=5, help="how long /ping is requested")
    parser.add_argument("--no-build", action="store_true", help="use what is built")
    parser.add_argument(
        "--ringload", type=pathlib.Path, default=ROOT / "Samples/.build/release/ringload")
    arguments = parser.parse_args()
    if not arguments.no_build:
        build(HERE, "blocking-handlers")
        build(ROOT / "Samples", "ringload")
    print(f"| {BLOCKED} requests in | Swift's executor, p50 / p99 of /ping | event loops |")
    print("|---|---|---|")
    for route, title in ROUTES.items():
        cells = []
        for installs in (False, True):
            latency = measure(arguments, route, installs)
            cells.append(f"{latency['p50'] / 1e6:,.1f} / {latency['p99'] / 1e6:,.1f} ms")
        print(f"| {title} | {' | '.join(cells)} |", flush=True)


main()
