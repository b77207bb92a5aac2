"""Sets keys that live a second, as fast as redis-benchmark can, and checks that they go.

    expiry-load.py PATH-OF-KEYVALUESERVER [SECONDS]

While it runs, the server must hold about the keys that were set in the last two seconds and no others; when
it is over, all must go.
"""

import re
import shutil
import socket
import subprocess
import sys
import time


def main() -> None:
    program, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
    shutil.which("redis-benchmark") or sys.exit("redis-benchmark is not installed")
    server = subprocess.Popen([program, "--port", "0"], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL)
    port = server.stdout.readline().rsplit(":", 1)[1].strip()
    load = subprocess.Popen(
        ["redis-benchmark", "-p", port, "-P", "128", "-c", "20", "-r", "100000000", "-n",
         "1000000000", "-q", "SET", "key:__rand_int__", "v", "PX", "1000"],
        stdout=subprocess.DEVNULL)
    client = socket.create_connection(("127.0.0.1", int(port)), timeout=60)

    def ask() -> dict[str, int]:
        client.sendall(b"INFO\r\n")
        text = client.recv(65536).decode()
        names = ("keys", "expires", "expired_keys", "total_commands_processed", "used_memory")
        return {name: int(re.search(rf"\b{name}[:=](\d+)", text)[1]) for name in names}

    def resident() -> str:
        status = open(f"/proc/{server.pid}/status").read()
        return re.search(r"VmRSS:\s+(\d+)", status)[1]

    def wait(condition) -> dict[str, int]:
        end = time.monotonic() + 60
        while not condition(now := ask()) and time.monotonic() < end:
            time.sleep(0.1)
        return now

    try:
        failures, before = [], wait(lambda now: now["keys"] >= 1000)
        rate = 0
        for second in range(seconds):
            time.sleep(1)
            now = ask()
            earlier, rate = rate, (
                now["total_commands_processed"] - before["total_commands_processed"])
            before = now
            print(f"{second + 1} s: {rate} SET/s, {now['keys']} keys, {resident()} KiB", flush=True)
            if second > 2 and now["keys"] > 1.25 * (earlier + rate):
                failures.append(f"{now['keys']} keys at {earlier}, then {rate} SET/s")
        load.kill()
        load.wait()
        now = wait(lambda now: now["keys"] == 0)
        print(f"later: {now['keys']} keys, {now['expired_keys']} expired, {resident()} KiB")
        if now["keys"] > 0 or now["expired_keys"] < 1000:
            failures.append(f"{now['keys']} keys are left, {now['expired_keys']} expired")
    finally:
        load.kill()
        server.terminate()
        server.wait()
    sys.exit("; ".join(failures) or 0)


if __name__ == "__main__":
    main()
