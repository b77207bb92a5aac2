# Sourced by http-test.sh and notes-test.sh.

# find_websockets: whether Python has the package websockets. Installs it, for this clone only, and
# sets `python`.
find_websockets() {
    python=.build-websockets/bin/python
    if ! "$python" -c 'import websockets' 2>/dev/null; then
        { python3 -m venv .build-websockets &&
            .build-websockets/bin/pip install --quiet websockets; } >/dev/null 2>&1
    fi
}

# load_with_wrk URL: loads it for two seconds. Every request must be answered with success.
load_with_wrk() {
    local report
    report=$(wrk --threads 2 --connections 32 --duration 2s "$1")
    if ! grep -q 'Requests/sec: *[1-9]' <<<"$report" ||
        grep -qE 'Socket errors|Non-2xx' <<<"$report"; then
        echo "wrk on $1:"
        echo "$report"
        return 1
    fi
}
