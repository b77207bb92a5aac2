#!/usr/bin/env bash
# Loads NotesServer with 200 requests a second for single notes, without and with one slow query a
# second, and prints the latencies of the others. Build first:
#
#   swift build -c release --package-path Samples/NotesServer
#   swift build -c release --package-path Samples --product ringload
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
server_program=${SERVER:-Samples/NotesServer/.build/release/NotesServer}
ringload=${RINGLOAD:-Samples/.build/release/ringload}
seconds=${1:-10}
place=$(mktemp -d)
server=
slow=
clean_up() {
    for process in $slow $server; do kill "$process" 2>/dev/null || true; done
    wait
    rm -rf "$place"
}
trap clean_up EXIT

start() {
    "$server_program" --port 0 --folder "$place" 2>"$place/log" &
    server=$!
    url=
    for _ in $(seq 100); do
        url=$(sed -n 's/.*listening on \(http:.*\)/\1/p' "$place/log")
        [ -z "$url" ] || return 0
        sleep 0.1
    done
    cat "$place/log" >&2
    return 1
}
start
kill -TERM "$server"
wait "$server"
python3 - "$place/notes.sqlite" <<'END'
import sqlite3
import sys

database = sqlite3.connect(sys.argv[1])
notes = ((f"note {number} " + "x" * 200, "2026-01-01 00:00:00.000") for number in range(500_000))
database.executemany("INSERT INTO note (text, changed) VALUES (?, ?)", notes)
database.commit()
END
start
# Matches nothing, so SQLite compares every note.
query="${url}notes?q=y"
curl -sS -o /dev/null -w 'one slow query takes %{time_total} s\n' "$query"
load() {
    "$ringload" "${url}notes/1" --connections 16 --rate 200 --warmup 1s \
        --duration "${seconds}s" --stall-timeout 60s 2>"$place/progress" | sed -n "s/^latency/$1/p"
}
load "no slow query:        "
while true; do
    curl -sS -o /dev/null "$query" &
    sleep 1
done &
slow=$!
load "one slow query a second:"
