"""Proxies between the load client and an echo server: the proxy alone on one CPU, the client and
the C echo server on another."""

import argparse

import building
import machine
from report import Need, Outcome, needs_table, results_table
from rounds import in_turn
from servers import ON_EPOLL, ON_URING, Load, Running, Server, measurer

EPOLL, RING, RING_ON_EPOLL = "c-epoll-proxy", "proxy", "proxy on epoll"
NAMES = [EPOLL, RING, RING_ON_EPOLL]

# The required CPU time of Proxy, as a fraction of plain C's.
SCENARIOS = {
    "proxy 64 x 64 B": (64, 64, 1.05),
    "proxy 8 x 64 KiB": (8, 65536, 1.20),
}


def compare(options: argparse.Namespace, names: list[str], outcome: Outcome) -> None:
    build = not options.no_build
    peers = building.c_peers(["epoll-echo", "epoll-proxy", "echo-load"], build)
    proxy = building.swift_products(["Proxy"], build)["Proxy"]
    echo = Server("c-epoll", (peers["epoll-echo"], "--port", "0"))
    print(f"\n## Proxy\n\n{machine.facts(options.rounds, options.cpus)}")
    with Running(echo, options.cpus[1:]) as upstream:
        command = (proxy, "--listen", "127.0.0.1:0", "--to", f"127.0.0.1:{upstream.port}")
        servers = [
            Server(EPOLL, (peers["epoll-proxy"], "--to", str(upstream.port))),
            Server(RING, command, ON_URING),
            Server(RING_ON_EPOLL, command, ON_EPOLL),
        ]
        servers = [server for server in servers if server.name in names]
        for title, (connections, size, most) in SCENARIOS.items():
            load = Load(
                peers["echo-load"], connections, options.seconds, arguments=("--size", str(size)))
            results = in_turn(options, outcome, title, *measurer(servers, load, options.cpus))
            done = {name: result for name, result in results.items() if result}
            print(f"\n### {title}\n")
            print(results_table("proxy", ["cpu_us", "rate", "p50_us", "p99_us", "switches"], done))
            cpu = {name: result.get("cpu_us") for name, result in results.items()}
            needs = [Need(f"CPU of {name} / {EPOLL}", cpu.get(name), cpu.get(EPOLL), at_most=most)
                     for name in NAMES[1:]]
            print("\n" + needs_table(needs, outcome), flush=True)
