"""EchoServer's UDP and TLS compared with plain C, the server alone on one CPU and the load client
on another. And a client of RingNetwork compared with one in plain C: short connections."""

import argparse
import pathlib
import subprocess
import tempfile

import building
import machine
from report import Need, Outcome, needs_table, results_table
from rounds import MeasureError, Values, in_turn
from servers import (
    ON_EPOLL, ON_URING, SHORT_CONNECTIONS_SECONDS, Load, Server, chosen, measurer)

C_UDP, UDP, UDP_ON_EPOLL = "c-udp", "udp", "udp on epoll"
C_TLS, TLS = "c-tls", "tls"
# Two clients of the same server.
C_CONNECTING, CONNECTING = "c-connecting", "connecting"

# The required CPU time, as a fraction of plain C's.
UDP_MOST, CONNECTING_MOST = 1.10, 1.15
# Connections, size, required CPU time.
TLS_SCENARIOS = {
    "TLS, 64 connections, 64 B": (64, 64, 1.03),
    "TLS, 64 connections, 4 KiB": (64, 4096, 1.03),
    "TLS, 8 connections, 64 KiB": (8, 65536, 1.15),
}
CIPHERS = {
    0x1301: "TLS_AES_128_GCM_SHA256",
    0x1302: "TLS_AES_256_GCM_SHA384",
    0x1303: "TLS_CHACHA20_POLY1305_SHA256",
}

# The columns of the tables.
OF_CLIENTS = ["client_cpu_us", "rate"]
OF_SERVERS = ["cpu_us", "rate", "p50_us", "p99_us", "switches"]


def compare(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    build = not options.no_build
    peers = building.c_peers(
        ["udp-echo", "udp-load", "tls-echo", "tls-load", "epoll-echo", "echo-churn"], build)
    echo = building.swift_products(["EchoServer"], build, traits="TLS")["EchoServer"]
    connecting = building.swift_products(["connecting-ring"], build)["connecting-ring"]
    with tempfile.TemporaryDirectory() as folder:
        port, identity = ("--port", "0"), _identity(pathlib.Path(folder))
        servers = chosen([
            Server(C_UDP, (peers["udp-echo"], *port)),
            Server(UDP, (echo, *port, "--udp"), ON_URING),
            Server(UDP_ON_EPOLL, (echo, *port, "--udp"), ON_EPOLL),
            Server(C_TLS, (peers["tls-echo"], *port, *identity)),
            Server(TLS, (echo, *port, *identity), ON_URING),
            Server(C_CONNECTING, (peers["epoll-echo"], *port)),
            Server(CONNECTING, (peers["epoll-echo"], *port)),
        ], options.names)
        server_cpu, client_cpu = options.cpus
        print(f"## UDP, TLS and connecting\n\n{machine.facts(options.rounds, options.cpus)}")
        print(f"- server on CPU {server_cpu}, client on CPU {client_cpu}, "
              f"{options.seconds:g} s a run, "
              f"short connections {SHORT_CONNECTIONS_SECONDS:g} s at most")

        def load(client: str, *arguments: str, connections: int = 64) -> Load:
            return Load(client, connections, options.seconds, arguments=arguments)

        def short(client: str) -> Load:
            seconds = min(options.seconds, SHORT_CONNECTIONS_SECONDS)
            return Load(client, 64, seconds, arguments=("--warmup", "0.1"))

        _compare(
            options, outcome, servers, "UDP, 64 sockets, 64 B",
            dict.fromkeys([C_UDP, UDP, UDP_ON_EPOLL], load(peers["udp-load"])), UDP_MOST,
            [*OF_SERVERS, "lost"])
        for title, (connections, size, most) in TLS_SCENARIOS.items():
            client = load(peers["tls-load"], "--size", str(size), connections=connections)
            _compare(options, outcome, servers, title, dict.fromkeys([C_TLS, TLS], client), most,
                     OF_SERVERS)
        clients = {C_CONNECTING: peers["echo-churn"], CONNECTING: connecting}
        _compare(
            options, outcome, servers, "connect, one message, close: 64 at a time",
            {name: short(client) for name, client in clients.items()}, CONNECTING_MOST, OF_CLIENTS)
    return outcome


def _identity(folder: pathlib.Path) -> tuple[str, ...]:
    """The servers' options for a new, self-signed P-256 certificate."""
    certificate, key = str(folder / "certificate.pem"), str(folder / "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-out", certificate, "-keyout", key],
        check=True, capture_output=True)
    return "--certificate", certificate, "--private-key", key


def _compare(
    options: argparse.Namespace, outcome: Outcome, servers: list[Server], title: str,
    loads: dict[str, Load], most: float, columns: list[str]
) -> None:
    """Compares those servers that have a load. The first load is that of plain C, and the first
    column has the compared value."""
    by_name = {server.name: server for server in servers if server.name in loads}
    if not by_name:
        return
    ciphers: list[str] = []

    def measure(name: str) -> Values:
        result = measurer([by_name[name]], loads[name], options.cpus)[1](name)
        if "cipher" in result:
            cipher = int(result["cipher"])
            ciphers.append(CIPHERS.get(cipher, f"{cipher:#x}"))
            if ciphers[-1] != ciphers[0]:
                raise MeasureError(f"the cipher is {ciphers[-1]}, not {ciphers[0]} as before")
        return result

    results = in_turn(options, outcome, title, by_name, measure)
    print(f"\n### {title}\n")
    if ciphers:
        print(f"TLS 1.3, {ciphers[0]}\n")
    print(results_table("program", columns, results))
    of_c, *others = loads
    value = {name: results.get(name, {}).get(columns[0]) for name in loads}
    needs = [Need(f"CPU of {name} / {of_c}", value[name], value[of_c], at_most=most)
             for name in others]
    print("\n" + needs_table(needs, outcome), flush=True)
