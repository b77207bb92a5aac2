#!/usr/bin/env bash
# Runs every test: on both back ends, with 1, 2 and 8 loops, under ThreadSanitizer, and the demo.
# Needs a Swift toolchain; installs what else is missing.
#
#   Scripts/test.sh            everything
#   Scripts/test.sh quick      one run of the tests, with the automatic back end
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/setup.sh
ring_setup tls

step() { printf '\n== %s\n' "$*"; }
export SWIFT_BACKTRACE=enable=no
export RINGDISPATCH_LOG=off
# RingTLS and its tests are empty without it; everything else is the same.
traits=(--traits TLS)

# Runs the built tests. What fails is said again at the end, for it is lost among what passes. Where
# the whole run broke off, the tests that did not end are named, and what it printed last is repeated.
said=$(mktemp)
trap 'rm -f "$said"' EXIT
run_tests() {
    local status=0
    swift test --skip-build "${traits[@]}" "$@" 2>&1 | tee "$said" | grep --line-buffered -v '^◇' || status=$?
    [ "$status" = 0 ] && return
    printf '\n== failed\n'
    if ! grep -A 4 '^✘' "$said"; then
        grep '^◇ Test ' "$said" | grep -v '^◇ Test case ' | sed 's/^◇ Test //; s/ started.$//' | while read -r name; do
            grep -qF "Test $name passed" "$said" || grep -qF "Test $name with" "$said" || echo "not ended: $name"
        done
        printf '\n== its last words, with status %s\n' "$status"
        grep -v '^[◇✔↳➜]' "$said" | cut -c1-240 | tail -n 60
    fi
    return "$status"
}

step "build"
swift build --build-tests "${traits[@]}"

step "tests, automatic back end"
run_tests
[ "${1:-all}" = quick ] && exit 0

step "tests, epoll back end"
RINGDISPATCH_BACKEND=epoll run_tests

step "what is measured, with nothing beside it"
LOADTESTING_ALONE=1 run_tests --filter OpenLoopTests --no-parallel

for loops in 1 2 8; do
    step "tests of the queues and sources, $loops loops"
    RINGDISPATCH_LOOPS=$loops run_tests --filter RingDispatchTests
done

step "tests of connections by multishot and with few buffers"
for streams in readiness multishot; do
    RINGDISPATCH_STREAMS=$streams RINGDISPATCH_BUFFERS=8 run_tests --filter RingNetworkTests
done
RINGDISPATCH_STREAMS=multishot run_tests --filter RingNetworkTests

step "code for GCD, ported by the plugins"
# The dependencies are those of the package itself: nothing is resolved or fetched again.
cp Package.resolved Tests/PortedPackage/
swift build --package-path Tests/PortedPackage --force-resolved-versions
for backend in auto epoll; do
    for check in porting-check run-loop-check async-main-check shortage-check; do
        RINGDISPATCH_BACKEND=$backend Tests/PortedPackage/.build/debug/$check
    done
done

step "tests under ThreadSanitizer"
sanitized=(--sanitize=thread --scratch-path .build-tsan)
export TSAN_OPTIONS="halt_on_error=1"
swift build --build-tests "${traits[@]}" "${sanitized[@]}"
# In parts: all at once would be in each other's way for minutes.
for part in 'LinuxPlatformTests|RingDispatchTests' 'RingNetworkTests' 'RingTLSTests|KeyValueStoreTests'; do
    run_tests "${sanitized[@]}" --filter "$part"
done
# One test at a time: they wait for what they have changed. Storms are too much for it, and so are
# loads (LoadTestingTests), whose figures it spoils.
run_tests "${sanitized[@]}" --no-parallel \
    --filter 'FileWatchingTests' --skip 'StormTests|OverflowTests'
RINGDISPATCH_BACKEND=epoll run_tests "${sanitized[@]}" --filter 'RingDispatchTests'
RINGDISPATCH_BACKEND=epoll run_tests "${sanitized[@]}" --filter RingNetworkTests
RINGDISPATCH_STREAMS=multishot run_tests "${sanitized[@]}" --filter RingNetworkTests
for repetition in 1 2 3 4 5; do
    RINGDISPATCH_LOOPS=8 run_tests "${sanitized[@]}" --filter 'RingDispatchTests.*Stress'
    RINGDISPATCH_LOOPS=2 run_tests "${sanitized[@]}" --filter 'RingDispatchTests.*Stress'
done
unset TSAN_OPTIONS

step "the demo, in release"
Scripts/demo.sh 64 2

step "all tests passed"
