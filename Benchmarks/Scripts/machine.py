"""Facts about the machine for the head of each report, and limits."""

import os
import platform
import resource
import subprocess
import time


def raise_descriptor_limit() -> None:
    """Raises the soft limit: a thousand connections need more descriptors."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


CONNTRACK = "/proc/sys/net/netfilter/nf_conntrack_"


def wait_for_connection_tracking() -> None:
    """Waits until half of the connection tracking table is free. The kernel keeps an entry for two
    minutes after a connection's end. When the table is nearly full, it spends CPU time on freeing
    entries, then drops packets."""
    def value(name: str) -> int:
        with open(CONNTRACK + name, encoding="ascii") as file:
            return int(file.read())

    try:
        while value("count") > value("max") // 2:
            time.sleep(1)
    except FileNotFoundError:
        pass


def _cpu_model() -> str:
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def _first_line(*command: str) -> str:
    result = subprocess.run(command, capture_output=True, text=True)
    lines = (result.stdout or result.stderr).splitlines()
    return lines[0] if lines else "unknown"


def facts(rounds: int, cpus: list[int]) -> str:
    load = os.getloadavg()[0]
    return "\n".join([
        f"- kernel {platform.release()}, {os.cpu_count()} CPUs, {_cpu_model()}",
        f"- {_first_line('swift', '--version')}",
        f"- {_first_line('cc', '--version')}; liburing "
        f"{_first_line('pkg-config', '--modversion', 'liburing')}",
        f"- {rounds} rounds on CPUs {cpus[0]} and {cpus[1]}; load average before: {load:.2f}",
    ])
