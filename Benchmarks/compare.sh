#!/usr/bin/env bash
# Compares RingDispatch with libdispatch, SwiftNIO and plain C servers: compare.sh --help
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
for tool in python3 swift cc pkg-config taskset; do
    if ! command -v "$tool" > /dev/null; then
        echo "compare.sh needs $tool" >&2
        exit 1
    fi
done
# The Python program ends its own child processes in all cases.
exec python3 -B "$here/Scripts/compare.py" "$@"
