#!/usr/bin/env bash
# Runs every test: on both back ends, with 1, 2 and 8 lanes, and the stress tests under
# ThreadSanitizer. Needs a Swift toolchain; installs what else is missing.
#
#   Scripts/test.sh            everything
#   Scripts/test.sh quick      one run of the tests, with the automatic back end
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/setup.sh
ring_setup

step() { printf '\n== %s\n' "$*"; }
export SWIFT_BACKTRACE=enable=no
export RINGDISPATCH_LOG=off

step "build"
swift build --build-tests

step "tests, automatic back end"
swift test --skip-build
[ "${1:-all}" = quick ] && exit 0

step "tests, epoll back end"
RINGDISPATCH_BACKEND=epoll swift test --skip-build

for lanes in 1 2 8; do
    step "tests of the queues and sources, $lanes lanes"
    RINGDISPATCH_LANES=$lanes swift test --skip-build --filter RingDispatchTests
done

step "stress tests under ThreadSanitizer"
swift build --build-tests --sanitize=thread --scratch-path .build-tsan
for lanes in 2 8; do
    RINGDISPATCH_LANES=$lanes TSAN_OPTIONS="halt_on_error=1" \
        swift test --skip-build --sanitize=thread --scratch-path .build-tsan \
        --filter 'RingDispatchTests\..*Stress'
done

step "the demo, in release"
Scripts/demo.sh 64 2

step "all tests passed"
