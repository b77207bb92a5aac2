#!/usr/bin/env bash
# Builds the samples, starts EchoServer on a free port, loads it with ringload for a few seconds,
# and prints the report and the server's summary. Needs a Swift toolchain; installs the rest.
#
#   Scripts/demo.sh [connections [seconds]]
#
# Environment: CONNECTIONS=64 SECONDS_OF_LOAD=5 MESSAGE_BYTES=64 PIPELINE=1 BACKEND=auto
# Exit status: that of ringload (0 if every echoed byte was right).
set -euo pipefail

connections=${1:-${CONNECTIONS:-64}}
seconds=${2:-${SECONDS_OF_LOAD:-5}}
message_bytes=${MESSAGE_BYTES:-64}
pipeline=${PIPELINE:-1}
backend=${BACKEND:-auto}

case ${1:-} in
-h | --help)
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
if [ $# -gt 2 ] || ! [[ $connections =~ ^[0-9]+$ && $seconds =~ ^[0-9]+$ ]]; then
    echo "usage: Scripts/demo.sh [connections [seconds]]" >&2
    exit 64
fi

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
. Scripts/setup.sh
ring_setup

echo "== building EchoServer and ringload (the first time takes a few minutes)"
for product in EchoServer ringload; do
    swift build --package-path Samples -c release --product "$product"
done
binaries=$(swift build --package-path Samples -c release --show-bin-path)

output=$(mktemp)
server=
client=
stop_server() {
    if [ -n "$server" ]; then
        kill -TERM "$server" 2>/dev/null || true
        wait "$server" || echo "demo: the server ended with status $?" >&2
        server=
    fi
}
stop_client() {
    if [ -n "$client" ]; then
        kill -TERM "$client" 2>/dev/null || true
        wait "$client" || true
        client=
    fi
}
trap 'stop_client; stop_server; rm -f "$output"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo "== starting EchoServer"
"$binaries/EchoServer" --host 127.0.0.1 --port 0 --backend "$backend" >"$output" &
server=$!
address=
for _ in $(seq 100); do
    address=$(sed -n 's/^listening on //p' "$output")
    [ -z "$address" ] || break
    if ! kill -0 "$server" 2>/dev/null; then
        echo "demo: the server ended before it listened; see its message above" >&2
        exit 1
    fi
    sleep 0.1
done
if [ -z "$address" ]; then
    echo "demo: the server did not listen within 10 s" >&2
    exit 1
fi
echo "   $(cat "$output") (process $server)"

echo "== $connections connections for $seconds s"
# In the background, since bash handles signals only between commands or in wait.
"$binaries/ringload" "tcp://$address" --connections "$connections" --duration "${seconds}s" \
    --size "$message_bytes" --pipeline "$pipeline" --backend "$backend" &
client=$!
status=0
wait "$client" || status=$?
client=

echo "== stopping EchoServer"
stop_server
sed -n '2,$s/^/   /p' "$output"
exit "$status"
