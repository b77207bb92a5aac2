"""DispatchIO: the speed of reading a cached file, and the cost of an echo."""

import argparse
import os
import tempfile

import building
import machine
from report import PER_MESSAGE, Need, Outcome, needs_table, number, results_table, table
from rounds import MeasureError, Values, in_turn
from servers import ON_EPOLL, ON_URING, Load, Server, measurer, output, values

FILE_BYTES = 256 << 20
READ_SECONDS = 60
# Files and their bytes, and by how many are read at once the most that RingDispatch may need, as a
# fraction of libdispatch's time.
MANY = {"20,000 files of 4 KiB": (20_000, 4 << 10), "200 files of 4 MiB": (200, 4 << 20)}
TOGETHER = {1: 0.1, 16: 0.25, 256: 0.4}
READER = "c, one after the other"
URING, DISPATCH, RING = "c-io_uring", "channel-libdispatch", "channel-ring"
RING_EPOLL = "channel-ring-epoll"


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    build = not options.no_build
    peers = building.c_peers(["echo-load", "uring-read", "read-files"], build)
    swift = building.swift_products(["io-bench-ring", "io-bench-dispatch"], build)
    print(f"## Channels\n\n{machine.facts(options.rounds, options.cpus)}")
    programs = {
        DISPATCH: (swift["io-bench-dispatch"], ()),
        RING: (swift["io-bench-ring"], ON_URING),
        RING_EPOLL: (swift["io-bench-ring"], ON_EPOLL),
    }
    _reads(options, outcome, peers["uring-read"], programs)
    for title, (count, size) in MANY.items():
        _many(options, outcome, title, count, size, peers["read-files"], programs)
    _echoes(options, outcome, peers["echo-load"], programs)
    return outcome


def _read(command: list[str], environment: tuple, cpus: list[int]) -> Values:
    result = values(output(command, cpus, READ_SECONDS, environment), "=")
    if result["bytes"] != FILE_BYTES:
        raise MeasureError(f"{result['bytes']:.0f} bytes read")
    return result


def _reads(options: argparse.Namespace, outcome: Outcome, peer: str, programs: dict) -> None:
    commands = {URING: ((peer,), ())}
    for name, (path, environment) in programs.items():
        commands[name] = ((path, "read"), environment)
    with tempfile.NamedTemporaryFile() as file:
        for _ in range(FILE_BYTES >> 20):
            file.write(os.urandom(1 << 20))
        file.flush()
        def read(name: str) -> Values:
            command, environment = commands[name]
            return _read([*command, file.name], environment, options.cpus)

        results = in_turn(options, outcome, "reading", commands, read)
    rows = [
        [name, number(result["bytes"] / result["ns"]), number(result["ns"] / 1e6),
         number(result["cpu_ns"] / 1e6)] if result else [name, "failed", "-", "-"]
        for name, result in results.items()]
    print(f"\n### One read of a cached file of {FILE_BYTES >> 20} MiB\n")
    print(table(["reader", "GB/s", "ms", "CPU ms"], rows))

    def rate(name: str) -> float | None:
        return 1 / results[name]["ns"] if results.get(name) else None

    print("\n" + needs_table([
        Need(f"rate of {RING} / {URING}", rate(RING), rate(URING), at_least=0.9),
        Need(f"rate of {RING} / {DISPATCH}", rate(RING), rate(DISPATCH), at_least=1.5),
    ], outcome), flush=True)


def _many(options: argparse.Namespace, outcome: Outcome, title: str, count: int, size: int,
          peer: str, programs: dict) -> None:
    with tempfile.TemporaryDirectory(dir=building.SCRATCH) as folder:
        for index in range(count):
            with open(os.path.join(folder, str(index)), "wb") as file:
                file.write(os.urandom(size))
        commands = {READER: ([peer, folder, str(count)], ())}
        for together in TOGETHER:
            for name, (path, environment) in programs.items():
                command = [path, "files", folder, "--count", str(count),
                           "--together", str(together)]
                commands[f"{name}, {together} at once"] = (command, environment)

        def read(name: str) -> Values:
            command, environment = commands[name]
            result = values(output(command, options.cpus, READ_SECONDS, environment), "=")
            if result["bytes"] != count * size:
                raise MeasureError(f"{result['bytes']:.0f} bytes read")
            return result

        results = in_turn(options, outcome, title, commands, read)
    print(f"\n### {title}\n")
    print(table(["reader", "ms", "CPU ms"], [
        [name, number(result["ns"] / 1e6), number(result["cpu_ns"] / 1e6)]
        if result else [name, "failed", "-"] for name, result in results.items()]))
    needs = []
    for together, most in TOGETHER.items():
        ours, theirs = (results[f"{name}, {together} at once"] for name in (RING, DISPATCH))
        text = f"{title}, {together} at once"
        needs.append(Need(f"time of {RING} / {DISPATCH}, {text}", ours.get("ns"),
                          theirs.get("ns"), at_most=most))
        needs.append(Need(f"CPU of {RING} / C, {text}", ours.get("cpu_ns"),
                          results[READER].get("cpu_ns"), at_most=2))
    print("\n" + needs_table(needs, outcome), flush=True)


def _echoes(options: argparse.Namespace, outcome: Outcome, client: str, programs: dict) -> None:
    servers = [
        Server(name, (path, "echo", "--port", "0"), environment)
        for name, (path, environment) in programs.items()]
    for connections in options.connections or [64]:
        load = Load(client, connections, options.seconds)
        results = in_turn(
            options, outcome, f"{connections} connections", *measurer(servers, load, options.cpus))
        keys = ["cpu_us", "rate", "p50_us", "p99_us", "switches", "threads"]
        print(f"\n### Echo of 64 bytes, {connections} connections\n")
        print(results_table("server", keys, results, PER_MESSAGE))
        ours, theirs = results.get(RING, {}), results.get(DISPATCH, {})
        print("\n" + needs_table([
            Need(f"CPU of {DISPATCH} / {RING}", theirs.get("cpu_us"), ours.get("cpu_us"),
                 at_least=3),
        ], outcome), flush=True)
