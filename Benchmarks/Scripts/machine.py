"""Facts about the machine, for the head of each report."""

import os
import platform
import resource
import subprocess


def raise_descriptor_limit() -> None:
    """A thousand connections need more descriptors than the usual soft limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


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
