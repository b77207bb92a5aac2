#!/usr/bin/env bash
# Tests the built NotesServer: notes, events, an upload in flight while it stops.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
place=$(mktemp -d)
server=
clean_up() {
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
    rm -rf "$place"
}
trap clean_up EXIT

Samples/NotesServer/.build/debug/NotesServer --port 0 --folder "$place/notes" 2>"$place/log" &
server=$!
for _ in $(seq 100); do
    url=$(sed -n 's/.*listening on \(http:.*\)/\1/p' "$place/log")
    [ -z "$url" ] || break
    sleep 0.1
done
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

head -c 8000000 /dev/urandom >"$place/big"
curl -sS --max-time 20 --limit-rate 4M -T "$place/big" "${url}files/big" >"$place/answer" &
upload=$!
for _ in $(seq 100); do
    part=$(find "$place/notes/files" -name '.*' -size +100k)
    [ -z "$part" ] || break
    sleep 0.05
done
kill -TERM "$server"
wait "$upload"
expect "8000000 bytes" cat "$place/answer"
wait "$server" || { echo "the server ended with status $?"; cat "$place/log"; exit 1; }
server=
cmp "$place/big" "$place/notes/files/big"
expect "added changed removed" sh -c "sed -n 's/^event: //p' '$place/events' | xargs"
