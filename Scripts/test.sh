#!/usr/bin/env bash
# Runs all tests of both packages (the libraries, and Samples): on both back ends, with 1, 2 and 8
# event loops, with few receive buffers, under ThreadSanitizer; then the demo.
# Needs a Swift toolchain; installs everything else.
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
# Without the trait, RingTLS and its tests are empty.
traits=(--traits TLS)

# Runs tests that are already built. Repeats failures at the end. If a run is aborted, names the
# tests that did not end, and repeats the last lines of output.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run_tests() {
    local status=0
    swift test --skip-build "${traits[@]}" "$@" 2>&1 | tee "$log" | grep --line-buffered -v '^◇' || status=$?
    [ "$status" = 0 ] && return
    printf '\n== failed\n'
    if ! grep -A 4 '^✘' "$log"; then
        grep '^◇ Test ' "$log" | grep -v '^◇ Test case ' | sed 's/^◇ Test //; s/ started.$//' | while read -r name; do
            grep -qF "Test $name passed" "$log" || grep -qF "Test $name with" "$log" || echo "not ended: $name"
        done
        printf '\n== the last lines, with status %s\n' "$status"
        grep -v '^[◇✔↳➜]' "$log" | cut -c1-240 | tail -n 60
    fi
    return "$status"
}

step "format"
swift format lint --strict --recursive --parallel \
    Package.swift Sources Samples Tests Snippets Plugins Benchmarks/Package.swift Benchmarks/Sources

step "build the libraries and their tests"
swift build --build-tests "${traits[@]}"
step "build the samples and their tests"
swift build --package-path Samples --build-tests "${traits[@]}"

step "tests of the libraries, automatic back end"
run_tests
step "tests of the samples, automatic back end"
run_tests --package-path Samples
[ "${1:-all}" = quick ] && exit 0

step "tests of the libraries, epoll back end"
RINGDISPATCH_BACKEND=epoll run_tests
step "tests of the samples, epoll back end"
RINGDISPATCH_BACKEND=epoll run_tests --package-path Samples

step "tests that measure, one at a time"
LOADTESTING_ALONE=1 run_tests --package-path Samples --filter OpenLoopTests --no-parallel

for loops in 1 2 8; do
    step "tests of the queues and sources, $loops event loops"
    RINGDISPATCH_LOOPS=$loops run_tests --filter RingDispatchTests
done

step "tests of connections with few buffers"
RINGDISPATCH_BUFFERS=8 run_tests --filter RingNetworkTests

step "code for GCD, ported by the plugins"
# Uses the package's own dependencies: nothing is resolved or fetched again.
cp Package.resolved Tests/PortedPackage/
swift build --package-path Tests/PortedPackage --force-resolved-versions
fetched=$(ls Tests/PortedPackage/.build/checkouts)
if [ "$fetched" != swift-system ]; then
    echo "a package that depends on RingDispatch fetches more than swift-system: $fetched" >&2
    exit 1
fi
for backend in auto epoll; do
    for check in porting-check run-loop-check async-main-check shortage-check; do
        RINGDISPATCH_BACKEND=$backend Tests/PortedPackage/.build/debug/$check
    done
done

step "tests under ThreadSanitizer"
sanitized=(--sanitize=thread --scratch-path .build-tsan)
export TSAN_OPTIONS="halt_on_error=1"
swift build --build-tests "${traits[@]}" "${sanitized[@]}"
# In parts: a single run would take minutes longer.
for part in 'LinuxPlatformTests|RingDispatchTests' 'RingNetworkTests' 'RingTLSTests'; do
    run_tests "${sanitized[@]}" --filter "$part"
done
# One test at a time, since these tests wait for the effect of their own changes. Storms are too
# slow under ThreadSanitizer.
run_tests "${sanitized[@]}" --no-parallel \
    --filter 'FileWatchingTests' --skip 'StormTests|OverflowTests'
RINGDISPATCH_BACKEND=epoll run_tests "${sanitized[@]}" --filter 'RingDispatchTests'
RINGDISPATCH_BACKEND=epoll run_tests "${sanitized[@]}" --filter RingNetworkTests
for repetition in 1 2 3 4 5; do
    RINGDISPATCH_LOOPS=8 run_tests "${sanitized[@]}" --filter 'RingDispatchTests.*Stress'
    RINGDISPATCH_LOOPS=2 run_tests "${sanitized[@]}" --filter 'RingDispatchTests.*Stress'
done
unset TSAN_OPTIONS

step "the demo, in release"
Scripts/demo.sh 64 2

step "all tests passed"
