"""Sends the same random commands to KeyValueServer and to redis-server, and compares the replies.

    compare-with-redis.py PATH-OF-KEYVALUESERVER [COMMANDS] [SEED]
"""

import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

KEYS = ["a", "b", "c", "", "k\r\n", "long" * 20]
VALUES = ["", "x", "0", "1", "-1", "10", "007", "+5", " 1", "1.5", "9223372036854775807",
          "-9223372036854775808", "9223372036854775808", "v" * 300, "\0\r\n$"]
NUMBERS = VALUES + ["2", "-3", "100"]
# So long that no key expires while this runs; or at once.
TIMES = ["900000", "5000000", "900000", "0", "-1", "9223372036854775807", "x", "1.5", ""]
OPTIONS = ["NX", "xx", "GET", "KEEPTTL", "EX", "PX", "900000", "nonsense"]
PIPELINE = 50
TIMEOUT_SECONDS = 60

# A host and a port, or the path of a Unix socket.
Address = tuple[str, int] | str


def connect(address: Address) -> socket.socket:
    client = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
    client.settimeout(TIMEOUT_SECONDS)
    client.connect(address)
    return client


def one(random_source: random.Random) -> list[str]:
    pick = random_source.choice
    key = pick(KEYS)
    some = [pick(KEYS) for _ in range(random_source.randrange(1, 4))]
    commands = [
        ["GET", key], ["SET", key, pick(VALUES)], ["SETNX", key, pick(VALUES)], ["GETDEL", key],
        ["SET", key, pick(VALUES), pick(["EX", "PX", "px"]), pick(TIMES)],
        ["SET", key, pick(VALUES), *[pick(OPTIONS) for _ in range(random_source.randrange(1, 5))]],
        ["SET", key, pick(VALUES), pick(["EX", "PX"]), pick(TIMES), pick(OPTIONS), pick(OPTIONS)],
        ["DEL", *some], ["EXISTS", *some], ["INCR", key], ["DECR", key],
        ["INCRBY", key, pick(NUMBERS)], ["DECRBY", key, pick(NUMBERS)], ["MGET", *some],
        ["MSET", *[word for name in some for word in (name, pick(VALUES))]],
        ["MSET", *some, "odd"], ["APPEND", key, pick(VALUES)], ["STRLEN", key],
        ["EXPIRE", key, pick(TIMES)], ["PEXPIRE", key, pick(TIMES)], ["TTL", key], ["PTTL", key],
        ["PERSIST", key], ["TYPE", key], ["DBSIZE"], ["PING"], ["PING", key], ["ECHO", key],
        ["NOTHING", *some], ["x" * 200, "y" * 100, "z" * 100], ["CLIENT", "NOTHING"],
        ["CLIENT", "ID"], ["CLIENT", "ID", "x"], ["CLIENT", "SETNAME", "me"], ["COMMAND", "NOTHING"],
        ["HELLO", pick(["1", "4", "x"])], ["FLUSHALL", "nonsense"],
    ]
    command = pick(commands)
    chance = random_source.random()
    if chance < 0.03 and command[0] != "COMMAND":
        command = command[:random_source.randrange(1, len(command) + 1)]
    elif chance < 0.05:
        command = [*command, "more"]
    elif chance < 0.055:
        command = ["FLUSHALL"]
    elif chance < 0.07:
        command = ["HELLO", pick(["2", "3"])]
    return [command[0].lower(), *command[1:]] if random_source.random() < 0.3 else command


class Client:
    def __init__(self, address: Address) -> None:
        self.socket = connect(address)
        self.file = self.socket.makefile("rb")

    def send(self, commands: list[list[str]]) -> None:
        message = b""
        for command in commands:
            message += b"*%d\r\n" % len(command)
            for word in command:
                text = word.encode()
                message += b"$%d\r\n%s\r\n" % (len(text), text)
        self.socket.sendall(message)

    def reply(self) -> bytes:
        line = self.file.readline()
        kind, text = line[:1], line[1:-2]
        if kind == b"$" and text != b"-1":
            return line + self.file.read(int(text) + 2)
        if kind in b"*%" and kind:
            count = int(text) * (2 if kind == b"%" else 1)
            return line + b"".join(self.reply() for _ in range(count))
        return line

    def same(self, name: str, reply: bytes) -> bytes:
        """Without what may differ: times that pass, the version, connection numbers."""
        if name == "CLIENT" and reply.startswith(b":"):
            return b":"
        if name == "PTTL" and reply.startswith(b":") and len(reply) > 6:
            return b":%d\r\n" % round(int(reply[1:]), -5)
        if name == "TTL" and reply.startswith(b":") and len(reply) > 5:
            return b":%d\r\n" % round(int(reply[1:]), -2)
        if name == "HELLO":
            return re.sub(rb"\$\d+\r\n7\.[\d.]+|(?<=id\r\n):\d+", b"", reply)
        return reply


# Inline commands and protocol errors; after each the connection must close, or stay open.
RAW = [
    b"PING\r\n", b"ping\n", b"\r\nPING\r\n", b"  SET  a  1  \r\n", b"SET a \"x \\x41\\n\"\r\nGET a\r\n",
    b"SET a 'it\\'s'\r\nGET a\r\n", b"SET a b\"c d\"\r\nGET a\r\n", b"ECHO \"\"\r\n",
    b"SET a \"x\r\n", b"SET a \"x\"y\r\n", b"ECHO 'x\\y'\r\n", b"*0\r\nPING\r\n", b"*-1\r\nPING\r\n",
    b"*x\r\n", b"*1\r\n$x\r\n", b"*1\r\n$-1\r\n", b"*1\r\n$536870913\r\n", b"*1\r\n:1\r\n",
    b"*1\r\nPING\r\n", b"*99999999999999999999\r\n", b"*01\r\n", b"*" + b"1" * 70000,
    b"x" * 70000, b"*1\r\n$" + b"1" * 70000, b"QUIT\r\nPING\r\n", b"*1\r\n$4\r\nquit\r\n",
    b"*1\r\n$4\r\nPINGxx*1\r\n$4\r\nPING\r\n",
]


def raw(address: Address, message: bytes) -> bytes:
    client = connect(address)
    answer = b""
    try:
        client.sendall(message)
        client.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # The server has closed the connection already.
    try:
        while part := client.recv(65536):
            answer += part
    except ConnectionResetError:
        pass
    return answer


def start_ours(program: str) -> tuple[subprocess.Popen, Address]:
    process = subprocess.Popen([program, "--port", "0"], stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.DEVNULL)
    line = process.stdout.readline()
    if not line.startswith("listening on "):
        sys.exit(f"{program} does not listen: {line}")
    return process, ("127.0.0.1", int(line.rsplit(":", 1)[1]))


def start_redis(program: str, folder: str) -> tuple[subprocess.Popen, Address]:
    # On a Unix socket: redis-server cannot choose a free port.
    path = folder + "/socket"
    process = subprocess.Popen(
        [program, "--save", "", "--appendonly", "no", "--port", "0", "--unixsocket", path],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    for _ in range(600):
        try:
            connect(path).close()
            return process, path
        except OSError:
            time.sleep(0.05)
    process.kill()
    sys.exit(f"{program} does not listen")


def compare(addresses: list[Address], count: int, seed: int) -> int:
    source = random.Random(seed)
    clients = [Client(address) for address in addresses]
    differences = 0
    for _ in range(0, count, PIPELINE):
        commands = [one(source) for _ in range(PIPELINE)]
        for client in clients:
            client.send(commands)
        for command in commands:
            replies = [client.same(command[0].upper(), client.reply()) for client in clients]
            if replies[0] != replies[1]:
                differences += 1
                print(f"{command}\n  KeyValueServer: {replies[0]!r}\n  Redis:          {replies[1]!r}")
    for message in RAW:
        replies = [raw(address, message) for address in addresses]
        if replies[0] != replies[1]:
            differences += 1
            print(f"{message[:60]!r}\n  KeyValueServer: {replies[0]!r}\n  Redis: {replies[1]!r}")
    return differences


def main() -> None:
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    redis = shutil.which("redis-server") or sys.exit("redis-server is not installed")
    with tempfile.TemporaryDirectory() as folder:
        ours, our_address = start_ours(sys.argv[1])
        processes = [ours]
        try:
            theirs, their_address = start_redis(redis, folder)
            processes.append(theirs)
            differences = compare([our_address, their_address], count, seed)
        finally:
            for process in processes:
                process.terminate()
                process.wait()
    print(f"{count} commands, seed {seed}: {differences} differences")
    sys.exit(min(differences, 1))


if __name__ == "__main__":
    main()
