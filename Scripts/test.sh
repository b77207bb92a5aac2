#!/usr/bin/env bash
# Runs all tests of both packages (the libraries, and Samples) on both back ends.
# Needs a Swift toolchain; installs everything else. Scripts/verify.sh goes deeper.
#
#   Scripts/test.sh                                        all tests
#   Scripts/test.sh GroupTests                             one suite
#   Scripts/test.sh RingDispatchTests                      the suites of a module
#   Scripts/test.sh 'RingDispatchTests.GroupTests/reuse()' one test
#   RINGDISPATCH_BACKEND=epoll Scripts/test.sh GroupTests  on one back end only
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ $# -gt 1 ]; then
    sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 64
fi
name=${1:-}

# The places that contain the tests named on the command line. Without a name, no trait is on.
tests_libraries=yes tests_samples=yes traits=()
if [ -n "$name" ]; then
    suite=${name%%/*}
    suite=${suite##*.}
    files() {
        if [ -d "$1/$suite" ]; then
            find "$1/$suite" -name '*.swift'
        else
            grep -rlE --include='*.swift' "(struct|class|enum) $suite\b" "$1"
        fi
    }
    files Tests >/dev/null || tests_libraries=
    files Samples/Tests >/dev/null || tests_samples=
    if [ -n "$tests_libraries" ] && files Tests | xargs grep -q '^#if TLS'; then
        traits=(--traits TLS)
    fi
    if [ -z "$tests_libraries$tests_samples" ]; then
        echo "no suite or module of tests is named '$suite'; see Tests and Samples/Tests" >&2
        exit 64
    fi
fi
source Scripts/setup.sh
ring_setup ${traits:+tls}
source Scripts/steps.sh

filter=()
if [ -n "$name" ]; then
    # A regular expression that matches the name.
    pattern=$(printf '%s' "$name" | sed 's/[][().|*+?{}^$\\]/\\&/g')
    case $name in
    */*) pattern="$pattern/" ;;
    *) pattern="(^|\\.)$pattern(\\.|/|\$)" ;;
    esac
    filter=(--filter "$pattern")
fi

# Patches that plant a bug or switch a mechanism off: a change of the sources may leave them behind.
apply_patches() {
    local patch result=0
    for patch in Tests/Simulation/Planted/*.patch Benchmarks/Ablation/*.patch; do
        git apply --check "$patch" || result=1
    done
    return $result
}
# without_warnings COMMAND...: a build, which also fails if it warns about the project's own sources.
# SwiftPM does not repeat the warnings about a module that is up to date.
without_warnings() {
    "$@" 2>&1 | tee "$logs/build" || return
    ! grep -qE "^$PWD/(Sources|Snippets|Samples/[[:alpha:]].*)/.*: warning: " "$logs/build"
}
build_libraries() { without_warnings swift build --build-tests "${traits[@]}"; }
build_samples() { without_warnings swift build --package-path Samples --build-tests; }

start=$SECONDS status=0
if [ -z "$name" ]; then
    step "format" swift format lint --strict --recursive --parallel \
        Package.swift Sources Samples Tests Snippets Plugins \
        Benchmarks/Package.swift Benchmarks/Sources || status=1
    step "patches apply" apply_patches || status=1
fi
if [ -n "$tests_libraries" ]; then step "build the libraries and their tests" build_libraries; fi
if [ -z "$name" ]; then step "mistakes do not compile" Scripts/misuse-test.sh || status=1; fi
if [ -n "$tests_samples" ]; then step "build the samples and their tests" build_samples; fi
if [ -n "$tests_libraries" ]; then
    run_tests "libraries" "$(library_tests)" "${filter[@]}" || status=1
fi
if [ -n "$tests_samples" ]; then
    # They do not depend on the variable: the programs that they start get a back end from the test.
    # CommandRunnerTests use the runtime in the tests' own process.
    if [ -z "$name${RINGDISPATCH_BACKEND:-}" ]; then
        skip_on_epoll='^(SamplesTests\.(?!CommandRunnerTests)|WireFormatsTests\.)'
    fi
    run_tests "samples" "$(sample_tests)" "${filter[@]}" || status=1
fi

took="$(((SECONDS - start) / 60)) min $(((SECONDS - start) % 60)) s"
if [ "$status" != 0 ]; then
    echo "failed: $passed tests passed, $(sort -u "$failed_tests" | wc -l) failed, $skipped skipped, in $took"
    print_remedies
    exit 1
fi
rm -r "$logs"
echo "passed: $passed tests, $skipped skipped, in $took"
