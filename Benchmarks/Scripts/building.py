"""Builds the Swift products and the C peers into Benchmarks/.build."""

import pathlib
import shlex
import shutil
import subprocess
import sys

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
SCRATCH = PACKAGE / ".build"
PEERS = SCRATCH / "peers"
SAMPLES = PACKAGE.parent / "Samples"
SAMPLE_NAMES = {"EchoServer", "FileWatchServer", "GCDEcho", "KeyValueServer", "Proxy", "ringload"}


def _swift_build(package: pathlib.Path, scratch: pathlib.Path) -> list[str]:
    return ["swift", "build", "-c", "release",
            "--package-path", str(package), "--scratch-path", str(scratch)]


def _run(command: list[str]) -> str:
    """Runs the command; shows its output only if it fails."""
    result = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        text=True)
    if result.returncode != 0:
        sys.exit(f"{result.stdout}\nfailed: {shlex.join(command)}")
    return result.stdout.strip()


def swift_products(names: list[str], build: bool, traits: str = "") -> dict[str, str]:
    """Paths of this package's or the samples' executables, by product name. Samples with traits
    have a folder of their own: SwiftPM would build everything again with other ones."""
    samples = [name for name in names if name in SAMPLE_NAMES]
    others = [name for name in names if name not in SAMPLE_NAMES]
    scratch = SCRATCH / ("samples-" + traits if traits else "samples")
    command = [*_swift_build(SAMPLES, scratch), *(["--traits", traits] if traits else [])]
    return {**_products(others, _swift_build(PACKAGE, SCRATCH), SCRATCH, build),
            **_products(samples, command, scratch, build)}


def static_sample(name: str, build: bool) -> str:
    """Path of a sample, linked as in the container image, but without OpenSSL."""
    scratch = SCRATCH / "static"
    command = [*_swift_build(SAMPLES, scratch), "--static-swift-stdlib"]
    return _products([name], command, scratch, build)[name]


def http_pools(build: bool) -> str:
    """Path of the HTTP server of the package HTTPPools."""
    name, package = "http-pools", PACKAGE / "HTTPPools"
    scratch = package / ".build"
    return _products([name], _swift_build(package, scratch), scratch, build)[name]


def _products(
    names: list[str], command: list[str], scratch: pathlib.Path, build: bool
) -> dict[str, str]:
    if not names:
        return {}
    if build:
        # SwiftPM would keep its plan although the parent package's files have changed.
        (scratch / "release.yaml").unlink(missing_ok=True)
    for name in names if build else []:
        print(f"building {name}", file=sys.stderr)
        _run(["nice", "-n", "10", *command, "--product", name])
    directory = pathlib.Path(_run([*command, "--show-bin-path"]).splitlines()[-1])
    return {name: _existing(directory / name) for name in names}


def c_peers(names: list[str], build: bool) -> dict[str, str]:
    """Paths of the C programs in Peers, by name. uring-* need liburing, tls-* OpenSSL."""
    PEERS.mkdir(parents=True, exist_ok=True)
    for name in names if build else []:
        print(f"building {name}", file=sys.stderr)
        libraries = []
        if name.startswith("uring"):
            libraries = _run(["pkg-config", "--cflags", "--libs", "liburing"]).split()
        elif name.startswith("tls"):
            libraries = ["-lssl", "-lcrypto"]
        _run(["cc", "-O2", "-Wall", "-Wextra", "-std=gnu11", "-o", str(PEERS / name),
              str(PACKAGE / "Peers" / f"{name}.c"), *libraries])
    return {name: _existing(PEERS / name) for name in names}


def go_peer(name: str, build: bool) -> str | None:
    """Path of the Go program in Peers; nothing if Go is not installed."""
    if not shutil.which("go"):
        return None
    PEERS.mkdir(parents=True, exist_ok=True)
    if build:
        _run(["env", "GO111MODULE=off", "go", "build", "-o", str(PEERS / name),
              str(PACKAGE / "Peers" / f"{name}.go")])
    return _existing(PEERS / name)


def _existing(path: pathlib.Path) -> str:
    if not path.exists():
        sys.exit(f"{path.name} is not built: run without --no-build")
    return str(path)
