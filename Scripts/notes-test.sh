#!/usr/bin/env bash
# Tests the built NotesServer: notes, events, its log, what it tells systemd, an upload in flight
# while it stops.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
place=$(mktemp -d)
server=
clean_up() {
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
    rm -rf "$place"
}
trap clean_up EXIT
# Waits until the command succeeds, for ten seconds at most.
wait_until() {
    for _ in $(seq 100); do
        if "$@"; then return; fi
        sleep 0.1
    done
}

# The service manager's end: writes the notifications to a file, and ends after STOPPING=1.
python3 - "$place/notify" >"$place/notified" <<'END' &
import socket
import sys

manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(sys.argv[1])
manager.settimeout(120)
state = ""
while state != "STOPPING=1":
    state = manager.recv(1000).decode()
    print(state, flush=True)
END
wait_until test -S "$place/notify"
NOTIFY_SOCKET="$place/notify" Samples/NotesServer/.build/debug/NotesServer --port 0 \
    --folder "$place/notes" --json-log >"$place/log" 2>&1 &
server=$!
wait_until grep -q 'listening on http:' "$place/log"
url=$(sed -n 's/.*listening on \(http:[^"]*\).*/\1/p' "$place/log")
# expect WHAT COMMAND...: the command's output must be WHAT.
expect() {
    local expected=$1 actual
    shift
    actual=$("$@")
    if [ "$actual" != "$expected" ]; then
        echo "expected '$expected', received '$actual': $*"
        cat "$place/log"
        exit 1
    fi
}
fetch() { curl -sS --max-time 20 "$@"; }

curl -sSN --max-time 60 "${url}events" >"$place/events" &
expect 201 fetch -o /dev/null -w '%{http_code}' "${url}notes" -d '{"text":"first"}'
expect 200 fetch -o /dev/null -w '%{http_code}' -X PUT "${url}notes/1" -d '{"text":"other"}'
expect 204 fetch -o /dev/null -w '%{http_code}' -X DELETE "${url}notes/1"
expect 404 fetch -o /dev/null -w '%{http_code}' "${url}notes/1"
expect 400 fetch -o /dev/null -w '%{http_code}' "${url}notes" -d 'no JSON'
expect 404 fetch -o /dev/null -w '%{http_code}' --path-as-is "${url}files/..%2Fnotes.sqlite"
expect "ok, 0 notes" fetch "${url}healthz"
wait_until test -s "$place/notified"
expect "READY=1" cat "$place/notified"

head -c 8000000 /dev/urandom >"$place/big"
curl -sS --max-time 20 --limit-rate 4M -T "$place/big" "${url}files/big" >"$place/answer" &
upload=$!
has_part() { [ -n "$(find "$place/notes/files" -name '.*' -size +100k)" ]; }
wait_until has_part
kill -TERM "$server"
wait "$upload"
expect "8000000 bytes" cat "$place/answer"
wait "$server" || { echo "the server ended with status $?"; cat "$place/log"; exit 1; }
server=
cmp "$place/big" "$place/notes/files/big"
expect "added changed removed" sh -c "sed -n 's/^event: //p' '$place/events' | xargs"
expect "READY=1 STOPPING=1" sh -c "xargs <'$place/notified'"
# A line for each request: the method, the path and the status.
python3 - "$place/log" >"$place/requests" <<'END'
import json
import sys

for line in map(json.loads, open(sys.argv[1])):
    if "path" in line:
        assert line["milliseconds"] >= 0 and line["time"].endswith("Z"), line
        print(line["method"], line["path"], line["status"])
END
expect "POST /notes 201" sed -n '/notes 201/p' "$place/requests"
expect "PUT /files/big 201" sed -n '/big/p' "$place/requests"
expect 9 sh -c "wc -l <'$place/requests'"
