"""Servers that have little to do: one message at a time, with pauses between them."""

import argparse
import os
import socket
import statistics
import time

import machine
from report import Need, Outcome, needs_table, number, table
from rounds import MeasureError, Values, in_turn
from servers import Running, Server, echo_servers

INTERVALS_MS = {1: 1.5, 5: 1.5, 20: 1.6}
CONNECTIONS = (1, 20)
WARM_UP = 20
MESSAGE = b"x" * 64
RING = "echo-server"


def measure(server: Server, interval_ms: int, connections: int, seconds: float,
            cpus: list[int]) -> Values:
    """The server runs on the first CPU, this process, as its client, on the second."""
    server_cpu, client_cpu = cpus
    os.sched_setaffinity(0, [client_cpu])
    with Running(server, [server_cpu]) as running:
        address = ("127.0.0.1", running.port)
        sockets = [socket.create_connection(address) for _ in range(connections)]
        try:
            for each in sockets:
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            times: list[float] = []
            before = 0.0
            next_time = time.monotonic()
            count = max(1, int(seconds * 1000 / interval_ms))
            for index in range(-WARM_UP, count):
                if index == 0:
                    before = running.cpu_seconds()
                each = sockets[index % connections]
                start = time.monotonic()
                each.sendall(MESSAGE)
                if each.recv(len(MESSAGE)) != MESSAGE:
                    raise MeasureError("a wrong answer")
                times.append(time.monotonic() - start)
                next_time = max(next_time + interval_ms / 1000, start)
                time.sleep(max(0.0, next_time - time.monotonic()))
            used = running.cpu_seconds() - before
            return {"cpu_us": used / count * 1e6,
                    "p50_us": statistics.median(times[WARM_UP:]) * 1e6}
        finally:
            for each in sockets:
                each.close()


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    servers = {server.name: server for server in echo_servers(options, libdispatch=True)}
    print(f"## Quiet servers: one message of 64 bytes at a time\n\n"
          f"{machine.facts(options.rounds, options.cpus)}")
    for connections in CONNECTIONS:
        for interval, bound in INTERVALS_MS.items():
            title = f"a message every {interval} ms over {connections} connections"
            results = in_turn(
                options, outcome, title, servers,
                lambda name, interval=interval, connections=connections: measure(
                    servers[name], interval, connections, options.seconds, options.cpus))
            print(f"\n### {title[0].upper()}{title[1:]}\n")
            print(table(["server", "CPU µs/message", "p50 µs"], [
                [name, number(result["cpu_us"]), number(result["p50_us"])]
                for name, result in results.items() if result]))
            reference = results.get("c-epoll", {}).get("cpu_us")
            print("\n" + needs_table([
                Need(f"CPU of {name} / c-epoll, {title}", results[name].get("cpu_us"), reference,
                     at_most=bound)
                for name in servers if name.startswith(RING)
            ], outcome), flush=True)
    return outcome
