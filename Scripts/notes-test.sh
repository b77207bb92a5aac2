#!/usr/bin/env bash
# Tests the built NotesServer: notes, events, its log, what it tells systemd, an upload in flight
# while it stops; then requests that are cut off, too long or wrong, wrk, the page in a browser, and
# wrong options.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/http-tools.sh
lines=$(cat Samples/NotesServer/Sources/*.swift | wc -l)
if [ "$lines" -gt 400 ]; then
    echo "NotesServer has $lines lines of Swift, and may have 400"
    exit 1
fi
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
program=Samples/NotesServer/.build/debug/NotesServer
# start OPTION...: sets the URL, which ends with a slash.
start() {
    : >"$place/log"
    NOTIFY_SOCKET="$place/notify" "$program" --port 0 --folder "$place/notes" "$@" \
        >"$place/log" 2>&1 &
    server=$!
    wait_until grep -q 'listening on http:' "$place/log"
    url=$(sed -n 's/.*listening on \(http:[^"]*\).*/\1/p' "$place/log")
}
start --json-log
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
wait_until test -s "$place/events"
expect 201 fetch -o /dev/null -w '%{http_code}' "${url}notes" -d '{"text":"first"}'
expect 200 fetch -o /dev/null -w '%{http_code}' -X PUT "${url}notes/1" -d '{"text":"other"}'
expect "removed note 1" fetch -X DELETE "${url}notes/1"
expect 404 fetch -o /dev/null -w '%{http_code}' "${url}notes/1"
expect 400 fetch -o /dev/null -w '%{http_code}' "${url}notes" -d 'no JSON'
expect 404 fetch -o /dev/null -w '%{http_code}' --path-as-is "${url}files/..%2Fnotes.sqlite"
expect "ok, 0 notes" fetch "${url}healthz"
# Web pages from elsewhere: by a name that leads here, and by a request that needs no permission.
for field in 'Host: evil.example' 'Host: localhost.evil.example' 'Host: 127.0.0.1.evil.example:80' \
    'Origin: http://evil.example' 'Origin: null'; do
    expect 403 fetch -o /dev/null -w '%{http_code}' "${url}notes" -H "$field" -d '{"text":"x"}'
done
for host in localhost LOCALHOST "localhost:1" 127.0.0.1 '[::1]:80'; do
    expect "ok, 0 notes" fetch "${url}healthz" -H "Host: $host" -H "Origin: http://$host"
done
# The log names the cause of status 500.
mv "$place/notes/files" "$place/notes/elsewhere"
expect 500 fetch -o /dev/null -w '%{http_code}' -X PUT "${url}files/lost" -d 'lost'
mv "$place/notes/elsewhere" "$place/notes/files"
expect "PUT /files/lost" sed -n \
    's/.*"level":"warning","message":"\(PUT [^ ]*\) .* 500: .*files.*/\1/p' "$place/log"
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
expect 20 sh -c "wc -l <'$place/requests'"

start --drain 0.1
port=${url##*:}
port=${port%/}
python3 - "$port" <<'END'
import re
import socket
import sys


def exchange(*parts):
    """All that the server answers."""
    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20) as client:
        client.sendall(b"".join(parts))
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(65536), b""))


def statuses(*parts):
    return re.findall(rb"HTTP/1.1 (\d+)", exchange(*parts))


# What is in a body is no request, whether the handler reads the body or not.
request = b"GET /healthz HTTP/1.1\r\n\r\n"
chunked = b"Transfer-Encoding: chunked\r\n\r\n%x;a / HTTP/1.1\r\n%s\r\n"
for line, status in (b"POST /", b"404"), (b"PUT /files/.x", b"400"), (b"POST /notes", b"400"):
    head = line + b" HTTP/1.1\r\n"
    body = b"\r\n" + request
    answers = statuses(head, chunked % (len(body), body), b"0\r\n\r\n", request)
    assert answers == [status, b"200"], answers
    answers = statuses(head, b"Transfer-Encoding: chunked\r\n\r\nwrong\r\n", request)
    assert len(answers) == 1, answers
    length = (2 << 20) + 1
    answers = statuses(head, b"Content-Length: %d\r\n\r\n" % length, request.ljust(length))
    assert answers == [status], answers

for path in b"/", b"/healthz", b"/notes", b"/notes/1", b"/files/big", b"/none":
    line = path + b" HTTP/1.1\r\n\r\n"
    head = exchange(b"HEAD ", line)
    assert head.endswith(b"\r\n\r\n") and exchange(b"GET ", line).startswith(head), head
head = exchange(b"HEAD /events HTTP/1.1\r\n\r\n")
assert head.startswith(b"HTTP/1.1 200 ") and head.endswith(b"\r\n\r\n"), head
assert b"notes_listeners 0\n" in exchange(b"GET /metrics HTTP/1.1\r\n\r\n")
END
if command -v wrk >/dev/null; then
    load_with_wrk "${url}healthz"
else
    echo "skipped: wrk is not installed"
fi
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
    echo "skipped: chromium is not installed"
elif ! find_websockets; then
    echo "skipped: python3 cannot install websockets"
else
    "$python" Scripts/notes-browser.py "$browser" "$url" "$place"
fi
for text in '50% off' a_b axb; do
    fetch -o "$place/answer" "${url}notes" -d "{\"text\":\"$text\"}"
done
found() { fetch "${url}notes?q=$1" | grep -o '"text":"[^"]*"' | xargs; }
expect "text:50% off" found %25
expect "text:a_b" found _
expect "text:50% off" found OFF

expect 201 fetch -o /dev/null -w '%{http_code}' -X PUT "${url}files/kept" -d 'all of it'
expect "all of it" fetch "${url}files/kept"
expect "0 bytes" fetch -X PUT "${url}files/empty" -d ''
expect "200 0" fetch -o /dev/null -w '%{http_code} %{size_download}' "${url}files/empty"
fetch "${url}files/big" | cmp - "$place/big"
exec 3>"/dev/tcp/127.0.0.1/$port"
{
    printf 'PUT /files/kept HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n'
    head -c 200000 "$place/big"
} >&3
wait_until has_part
# fails_with WORDS OPTION...: the server must end at once, and say why.
fails_with() {
    local words=$1
    shift
    if timeout 3 "$program" --folder "$place/other" "$@" >"$place/failure" 2>&1 ||
        ! grep -q -e "$words" "$place/failure"; then
        echo "expected a failure with '$words': $*"
        cat "$place/failure"
        exit 1
    fi
}
fails_with "127.0.0.1:$port: .*Bind" --port "$port"
for drain in inf nan 1e11 -1; do fails_with "--drain" "--drain=$drain" --port 0; done
kill -TERM "$server"
wait "$server"
server=
expect "all of it" head -c 20 "$place/notes/files/kept"
