#!/usr/bin/env python3
"""Which part of the HTTP server's CPU time its socket pool takes, for each pool.

Needs perf(1), and the programs that `compare.sh http` has built. Server and client have one CPU
each. A sample belongs to the first function of the program, from the innermost one on, that called
what ran: so a system call counts for its caller.

    Benchmarks/HTTPPools/share.py [REQUESTS-PER-SECOND]    without it, as fast as it goes
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SERVER = HERE / ".build/release/http-pools"
RINGLOAD = HERE.parent / ".build/samples/release/ringload"
MODES = ["own-no-delay"], ["ring"], ["ring", "--install"]
POOL = re.compile(
    "SocketPool|5ePoll|EventNotification"  # FlyingSocks, and RingSocketPool
    "|9Readiness|13ReadinessSet|8TaskWait|11DescriptorsO8identity|12RingDispatch6Worker"
)


def samples(options: list[str], load: list[str], file: str) -> list[str]:
    """The call stacks of a server under load."""
    environment = dict(os.environ, RINGDISPATCH_LOG="off")
    server = subprocess.Popen(
        ["taskset", "-c", "0", SERVER, "0", *options],
        stdout=subprocess.PIPE, text=True, env=environment,
    )
    assert server.stdout
    address = server.stdout.readline().split()[-1]
    client = subprocess.Popen(
        ["taskset", "-c", "1", RINGLOAD, f"http://{address}/hello", *load],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
    )
    subprocess.run(
        ["perf", "record", "-q", "-e", "cpu-clock", "-F", "499", "--call-graph", "dwarf,8192",
         "-p", str(server.pid), "-o", file, "--", "sleep", "6"],
        check=True, stderr=subprocess.DEVNULL,
    )
    client.wait()
    server.kill()
    server.wait()
    script = ["perf", "script", "-i", file, "-F", "ip,sym,dso"]
    text = subprocess.run(script, check=True, capture_output=True, text=True).stdout
    return [stack for stack in text.split("\n\n") if stack.strip()]


def is_pool(stack: str) -> bool:
    """Whether the pool called what ran."""
    for frame in stack.splitlines():
        if "http-pools" in frame or "libdispatch" in frame:
            return bool(POOL.search(frame))
    return False


def main() -> None:
    load = ["--connections", "64", "--duration", "8s", "--warmup", "0s"]
    if len(sys.argv) > 1:
        load += ["--rate", sys.argv[1]]
    with tempfile.TemporaryDirectory() as folder:
        for options in MODES:
            stacks = samples(options, load, f"{folder}/perf.data")
            pool = sum(map(is_pool, stacks))
            share = 100 * pool / max(1, len(stacks))
            print(f"{' '.join(options):16} {len(stacks)} samples, {pool} in the pool: {share:.1f} %")


main()
