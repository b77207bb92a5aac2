"""The main program of compare.sh: parses options and runs one comparison."""

import argparse
import os
import signal
import sys

import ablation
import beside
import blocked
import blocking
import bulk
import channels
import clients
import echo
import files
import keyvalue
import machine
import micro
import network
import open_loop
import pools
import protocols
import quiet
import sources
import tasks

COMPARISONS = {
    "micro": micro.compare, "echo": echo.compare, "blocking": blocking.compare,
    "blocked": blocked.compare, "tasks": tasks.compare, "quiet": quiet.compare,
    "open": open_loop.compare, "beside": beside.compare,
    "network": network.compare, "bulk": bulk.compare, "protocols": protocols.compare,
    "http": pools.compare,
    "keyvalue": keyvalue.compare, "io": channels.compare, "sources": sources.compare,
    "files": files.compare, "client": clients.compare, "ablation": ablation.compare,
}
EPILOG = """\
micro     the same benchmarks, compiled against libdispatch and against RingDispatch
echo      echo servers: CPU per message, context switches, threads, latency
blocking  echo servers, one connection's handler blocks or computes 50 ms per message
blocked   400 queues that block again and again: how long an unrelated item waits
tasks     what Swift's tasks cost on libdispatch and on the event loops, and beside blocked ones
quiet     servers that get a message every 1, 5 or 20 ms: CPU per message
open      EchoServer under an open loop: fixed rates, 10,000 connections, beside busy processes
beside    what 119 connections lose beside one whose handler blocks, compared with them alone
network   EchoServer: several kinds of load, short and idle connections; zero-copy sends; Proxy
bulk      large echoes, a sink, a source, a broadcast to 1,000 connections, against plain C
protocols EchoServer's UDP and TLS, and clients that connect: CPU per message, against plain C
http      FlyingFox's HTTP server with its own epoll pool, and on the event loops
keyvalue  KeyValueServer compared with Redis, under redis-benchmark
io        DispatchIO: reading a cached file, and an echo server of channels
files     FileWatchServer compared with inotifywait: latency, new folders, large trees, overflow
client    ringload compared with a C client and wrk: CPU per message, lateness of an open loop
sources   100,000 timers, 10,000 read sources; from a write to a file-system source's handler
ablation  mechanisms of the runtime, each switched off: what its row loses

Tables go to standard output as Markdown, progress to standard error. Programs run in turn, round
after round, so that all see the same state of the machine; the tables show medians. A row is
MISSED if it misses its required ratio; README.md explains the rows.
"""


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="compare.sh", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=COMPARISONS)
    parser.add_argument(
        "names", nargs="*",
        help="only these benchmarks (micro), servers (echo, blocking, network, ...), parts "
        "(files) or mechanisms (ablation)")
    parser.add_argument(
        "--rounds", type=int, default=int(os.environ.get("ROUNDS", "5")),
        help="number of rounds (5, or the variable ROUNDS)")
    parser.add_argument(
        "--seconds", type=float, default=2, help="measured seconds of a load run (2)")
    parser.add_argument(
        "--connections", type=int, nargs="+",
        help="connections of the load client (echo: 64 1000, blocking: 120, io: 64)")
    parser.add_argument(
        "--cpus", default="0,1", help="the two CPUs to use (0,1): echo servers run on the first, "
        "the load client on the second; everything else on both")
    parser.add_argument(
        "--quick", action="store_true", help="micro: fewer operations, rough values")
    parser.add_argument("--no-build", action="store_true", help="use the existing build")
    parser.add_argument(
        "--check", action="store_true", help="exit with status 3 if a row is MISSED")
    options = parser.parse_intermixed_args()
    options.cpus = [int(cpu) for cpu in options.cpus.split(",")]
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds and --seconds must be positive")
    if len(options.cpus) != 2 or not set(options.cpus) <= os.sched_getaffinity(0):
        parser.error("--cpus needs two CPUs that this process may use")
    return options


def main() -> int:
    options = parse_options()
    # Ends by an exception, so that every `with` statement ends its child process.
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda received, _: sys.exit(128 + received))
    machine.raise_descriptor_limit()
    outcome = COMPARISONS[options.mode](options)
    for failure in outcome.failures:
        print(f"\nFAILED: {failure}")
    if outcome.failures:
        return 1
    return 3 if options.check and outcome.missed else 0


if __name__ == "__main__":
    sys.exit(main())
