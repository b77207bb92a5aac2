"""Programs that report changes in a tree, one line each: FileWatchServer and inotifywait."""

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time

from rounds import MeasureError
from servers import FREE_PORT, ON_URING, Running, Server, pinned

READY_SECONDS = 60
LINE_SECONDS = 10


class Lines:
    """Lines from a pipe or a socket."""

    def __init__(self, descriptor: int):
        self._descriptor = descriptor
        self._rest = b""
        os.set_blocking(descriptor, False)

    def next(self, seconds: float = LINE_SECONDS) -> bytes | None:
        """The next line; None if there is none in time."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._rest:
            try:
                bytes_ = os.read(self._descriptor, 1 << 16)
            except BlockingIOError:
                ready, _, _ = select.select(
                    [self._descriptor], [], [], max(0, deadline - time.monotonic()))
                if not ready:
                    return None
                continue
            if not bytes_:
                raise MeasureError("the watcher ended")
            self._rest += bytes_
        line, self._rest = self._rest.split(b"\n", 1)
        return line


class Inotifywait:
    """`inotifywait -m -r`, as a context manager."""

    name = "inotifywait"

    def __init__(self, tree: str, cpus: list[int]):
        program = shutil.which("inotifywait")
        if program is None:
            sys.exit("compare.sh files needs inotifywait: apt-get install inotify-tools")
        self._process = subprocess.Popen(
            [*pinned(cpus), program, "-m", "-r", "--format", "%e %w%f",
             "-e", "create,modify,delete,move,attrib", tree],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.pid = self._process.pid

    def __enter__(self) -> "Inotifywait":
        errors = Lines(self._process.stderr.fileno())
        while (line := errors.next(READY_SECONDS)) is not None:
            if b"Watches established" in line:
                self.lines = Lines(self._process.stdout.fileno())
                return self
        self.__exit__()
        raise MeasureError("inotifywait does not say that its watches are established")

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        self._process.stderr.close()

    def path(self, line: bytes) -> str:
        return os.fsdecode(line.split(b" ", 1)[1])


class FileWatchServer:
    """`FileWatchServer` with a client, as a context manager."""

    name, name_on_unix = "file-watch-server", "file-watch-server, Unix socket"
    options: tuple[str, ...] = ("--http-port", "0", "--window", "0")

    def __init__(self, program: str, tree: str, cpus: list[int], *options: str,
                 unix_path: str | None = None):
        self._unix_path = unix_path
        if unix_path is not None:
            self.name = self.name_on_unix
            options = (*options, "--unix", unix_path)
        self._server = Server(
            self.name, (program, tree, "--port", FREE_PORT, *self.options, *options),
            (*ON_URING, ("RINGDISPATCH_LOG", "off")))
        self._running = Running(self._server, cpus)
        self.pid = self._running.pid

    def __enter__(self) -> "FileWatchServer":
        self._running.__enter__()
        return self

    def connect(self) -> None:
        if self._unix_path is None:
            self._socket = socket.create_connection(("127.0.0.1", self._running.port))
        else:
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.connect(self._unix_path)
        self.lines = Lines(self._socket.fileno())

    def __exit__(self, *_: object) -> None:
        self._running.__exit__()

    def stop(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def event(self, line: bytes) -> dict[str, object]:
        return json.loads(line)

    def path(self, line: bytes) -> str:
        return str(self.event(line).get("path"))


class BareLines(FileWatchServer):
    """`Peers/inotify-lines.c`, which serves the same kind of client."""

    name = "c-inotify"
    options = ()
