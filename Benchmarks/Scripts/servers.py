"""Starts a server, loads it, ends it."""

import collections
import dataclasses
import os
import re
import socket
import subprocess
import sys
import threading

from report import Outcome

# Stands for a port in the command of a server that cannot choose one itself.
FREE_PORT = "{free}"
START_SECONDS = 15
STOP_SECONDS = 5
LOAD_EXTRA_SECONDS = 30


class LoadError(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Server:
    name: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    # What the line says with which it accepts connections.
    announcement: str = "listening"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Running:
    """A server process on the given CPUs, as a context manager: it is gone afterwards."""

    def __init__(self, server: Server, cpus: list[int]):
        self.server = server
        # Until the server says which it took, unless it was told.
        self.port = _free_port() if FREE_PORT in server.command else 0
        self._last_lines: collections.deque[str] = collections.deque(maxlen=10)
        self._is_up = False
        self._announced = threading.Event()  # that it is up, or will never be
        command = [str(self.port) if word == FREE_PORT else word for word in server.command]
        self._process = subprocess.Popen(
            [*pinned(cpus), *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace",
            env={**os.environ, **dict(server.environment)})
        self._reader = threading.Thread(target=self._read_output, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid  # taskset becomes the server: exec keeps the id

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
            raise LoadError(
                f"no line with '{self.server.announcement}'; it said: {self.last_words()}")
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def cpu_seconds(self) -> float:
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

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


@dataclasses.dataclass(frozen=True)
class Load:
    client: str
    connections: int
    seconds: float
    excludes_first: bool = False
    arguments: tuple[str, ...] = ()


def measure(
    server: Server, load: Load, server_cpus: list[int], client_cpus: list[int]
) -> dict[str, float]:
    """One load run against a fresh server; the client's key=value lines."""
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
            raise LoadError("the load client came to no end") from None
        if result.returncode != 0:
            raise LoadError(
                f"{result.stderr.strip()}; the server said: {running.last_words()}")
    pairs = (line.split("=", 1) for line in result.stdout.splitlines())
    return {key: float(value) for key, value in pairs}


def measure_or_note(
    outcome: Outcome, server: Server, load: Load, server_cpus: list[int], client_cpus: list[int]
) -> dict[str, float] | None:
    try:
        return measure(server, load, server_cpus, client_cpus)
    except LoadError as error:
        outcome.failures.append(f"{server.name}, {load.connections} connections: {error}")
        print(outcome.failures[-1], file=sys.stderr)
        return None


def pinned(cpus: list[int]) -> list[str]:
    return ["taskset", "-c", ",".join(map(str, cpus))]


def chosen(servers: list[Server], names: list[str]) -> list[Server]:
    """All servers, or those with the given names."""
    known = [server.name for server in servers]
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"unknown: {', '.join(unknown)}; known: {', '.join(known)}")
    return [server for server in servers if not names or server.name in names]


def medians(runs: list[dict[str, float]]) -> dict[str, float]:
    """The median over the runs, key by key."""
    def median(values: list[float]) -> float:
        ordered, half = sorted(values), len(values) // 2
        return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2

    return {key: median([run[key] for run in runs]) for key in runs[0]} if runs else {}
