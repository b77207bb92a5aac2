#!/usr/bin/env bash
# Shows that the simulation finds defects: applies each patch of Planted to a copy of the tracked
# files, and requires that one of the seeds that the patch names fails. Names the first one.
# Each change of the sources moves the seeds that fail: the rarest bugs fail in 1 of 120, so most
# patches name 1,000 seeds.
#
#   Tests/Simulation/planted.sh [PATCH...]    all patches, or these (names without .patch)
#
# SCRATCH: keeps the copy and its build there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
place=${SCRATCH:-$(mktemp -d)}
if [ -z "${SCRATCH:-}" ]; then trap 'rm -rf "$place"' EXIT; fi
mkdir -p "$place"
names=("$@")
if [ ${#names[@]} = 0 ]; then
    for file in Tests/Simulation/Planted/*.patch; do names+=("$(basename "$file" .patch)"); done
fi

export RINGDISPATCH_SIMULATION=1
status=0
for name in "${names[@]}"; do
    # All files again, with their times: only those that the last patch changed are built again.
    git ls-files -z -- Package.swift Sources Plugins Tests |
        tar -c --null -T - | tar -x -C "$place"
    patch -s -p1 -d "$place" <"Tests/Simulation/Planted/$name.patch"
    log=$place/$name.log
    if ! swift build --package-path "$place" --product simulate >"$log" 2>&1; then
        echo "$name: the build failed; see below"
        tail -n 20 "$log"
        exit 1
    fi
    read -ra arguments < <(sed -n 's/^Found by: //p' "Tests/Simulation/Planted/$name.patch")
    "$place/.build/debug/simulate" --stop "${arguments[@]}" >"$log" 2>&1 || true
    if ! found=$(grep 'is the first to fail' "$log"); then
        echo "$name: NOT FOUND by ${arguments[*]}"
        status=1
    else
        echo "$name: $found"
    fi
done
exit $status
