"""Starts servers, loads them, stops them."""

import argparse
import collections
import dataclasses
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable

import building
import machine
from rounds import MeasureError, Values

# The environment of a server that uses this back end.
ON_URING, ON_EPOLL = (("RINGDISPATCH_BACKEND", "io_uring"),), (("RINGDISPATCH_BACKEND", "epoll"),)
# A placeholder for a port, in the command of a server that cannot choose one itself.
FREE_PORT = "{free}"
START_SECONDS = 15
STOP_SECONDS = 5
LOAD_EXTRA_SECONDS = 30


@dataclasses.dataclass(frozen=True)
class Server:
    name: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    # Part of the line that the server prints when it accepts connections.
    announcement: str = "listening"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Running:
    """A server process on the given CPUs; the context manager ends it."""

    def __init__(self, server: Server, cpus: list[int]):
        self.server = server
        # 0 until the server announces the port that it has chosen.
        self.port = _free_port() if FREE_PORT in server.command else 0
        self._last_lines: collections.deque[str] = collections.deque(maxlen=10)
        self._is_up = False
        self._announced = threading.Event()  # set when the server is up or has ended
        command = [str(self.port) if word == FREE_PORT else word for word in server.command]
        self._process = subprocess.Popen(
            [*pinned(cpus), *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace",
            env={**os.environ, **dict(server.environment)})
        self._reader = threading.Thread(target=self._read_output, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid  # exec(3) in taskset keeps the process ID

    def _read_output(self) -> None:
        for line in self._process.stdout:
            self._last_lines.append(line.rstrip())
            if self.server.announcement not in line.lower() or self._is_up:
                continue
            ports = re.findall(r":(\d+)\b", line)
            self.port = self.port or int(ports[-1])
            self._is_up = True
            self._announced.set()
        self._announced.set()

    def __enter__(self) -> "Running":
        self._announced.wait(START_SECONDS)
        if not self._is_up:
            self._stop()
            raise MeasureError(
                f"no line with '{self.server.announcement}'; output: {self.last_words()}")
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def cpu_seconds(self) -> float:
        return cpu_seconds(self.pid)

    def last_words(self) -> str:
        return " / ".join(self._last_lines) or "nothing"

    def _stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(STOP_SECONDS)


# The longest run with a new connection for each message. A client's ports wait for a minute after
# the close. When half of them do, after 14,000 connections to one server, the kernel searches for
# a free one, which may take longer than the exchange.
SHORT_CONNECTIONS_SECONDS = 0.3


@dataclasses.dataclass(frozen=True)
class Load:
    client: str
    connections: int
    seconds: float
    excludes_first: bool = False
    arguments: tuple[str, ...] = ()


def measure(
    server: Server, load: Load, server_cpus: list[int], client_cpus: list[int]
) -> Values:
    """One load run against a new server process; returns the client's key=value lines."""
    with Running(server, server_cpus) as running:
        command = [
            *pinned(client_cpus), load.client, "--port", str(running.port),
            "--connections", str(load.connections), "--seconds", str(load.seconds),
            "--server-pid", str(running.pid), *load.arguments]
        if load.excludes_first:
            command.append("--exclude-first")
        try:
            result = subprocess.run(
                command, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                timeout=load.seconds + LOAD_EXTRA_SECONDS)
        except subprocess.TimeoutExpired:
            raise MeasureError("the load client did not end in time") from None
        if result.returncode != 0:
            raise MeasureError(
                f"{result.stderr.strip()}; the server's output: {running.last_words()}")
    return values(result.stdout.splitlines(), "=")


def measurer(
    servers: list[Server], load: Load, cpus: list[int], shares: bool = False
) -> tuple[list[str], Callable[[str], Values]]:
    """The servers' names, and a function that measures one of them alone on the first CPU, with its
    client on the second, or both on both: arguments of `in_turn`."""
    by_name = {server.name: server for server in servers}
    places = (cpus, cpus) if shares else (cpus[:1], cpus[1:])

    def measure_later(name: str) -> Values:
        machine.wait_for_connection_tracking()
        return measure(by_name[name], load, *places)

    return list(by_name), measure_later


def pinned(cpus: list[int]) -> list[str]:
    return ["taskset", "-c", ",".join(map(str, cpus))]


def output(
    command: list[str], cpus: list[int], seconds: float,
    environment: tuple[tuple[str, str], ...] = ()
) -> list[str]:
    """The lines that a program writes to standard output, run on these CPUs."""
    result = subprocess.run(
        [*pinned(cpus), *command], capture_output=True, text=True, stdin=subprocess.DEVNULL,
        timeout=seconds, env={**os.environ, **dict(environment)})
    if result.returncode != 0:
        said = (result.stdout + result.stderr).strip()[-500:]
        raise MeasureError(f"ended with status {result.returncode}: {said}")
    return result.stdout.splitlines()


def values(lines: Iterable[str], separator: str | None = None) -> Values:
    """The values of lines with a key and a value each."""
    return {key: float(value) for key, value in (line.split(separator, 1) for line in lines)}


def cpu_seconds(pid: int) -> float:
    """The CPU clock of the process; clock_getcpuclockid(3)."""
    return time.clock_gettime(~pid << 3 | 2)


def resident_bytes(pid: int) -> int:
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def chosen(servers: list[Server], names: list[str]) -> list[Server]:
    """All servers, or those with the given names."""
    known = [server.name for server in servers]
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"unknown: {', '.join(unknown)}; known: {', '.join(known)}")
    return [server for server in servers if not names or server.name in names]


def echo_servers(options: argparse.Namespace, libdispatch: bool = False) -> list[Server]:
    """EchoServer and those it is compared with; only those that are named, if any are."""
    build = not options.no_build
    samples = ["gcd-echo-dispatch"] if libdispatch else []
    swift = building.swift_products(["nio-echo", *samples, "EchoServer"], build)
    peer = building.c_peers(["epoll-echo"], build)["epoll-echo"]
    port = ("--port", "0")
    command = (swift["EchoServer"], "--host", "127.0.0.1", *port)
    return chosen([
        Server("c-epoll", (peer, *port)),
        Server("swift-nio", (swift["nio-echo"], *port, "--loops", "1")),
        *(Server("libdispatch", (swift[name], *port)) for name in samples),
        Server("echo-server", command, ON_URING),
        Server("echo-server on epoll", command, ON_EPOLL),
    ], options.names)
