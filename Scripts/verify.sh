#!/usr/bin/env bash
# Repeats the tests in other settings, and goes deep. Ends with a table: step, time, result.
# Needs a Swift toolchain; installs everything else, but skips what an absent tool would do.
#
#   Scripts/verify.sh                    all steps
#   Scripts/verify.sh STEP...            these steps
#   Scripts/verify.sh --budget MINUTES   the sanitizers, and then as many steps as there is time
#                                        for. The number of commits says which step comes first.
#   Scripts/verify.sh --list             the names of the steps
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Each step is the function verify_STEP. The number: about how many minutes it takes on 2 CPUs.
sanitizers=(tsan asan)
others=(
    samples loops stress simulation deep storms long traits alone docs notes http ported demo
    manifests containers
)
declare -A minutes=(
    [tsan]=14 [asan]=10 [samples]=25 [loops]=5 [stress]=5 [simulation]=6 [deep]=14 [traits]=9
    [storms]=16 [long]=12 [alone]=12 [docs]=5 [notes]=12 [http]=4
    [ported]=4 [demo]=5 [manifests]=1 [containers]=25
)
declare -A titles=(
    [tsan]="ThreadSanitizer"
    [asan]="AddressSanitizer, leaks, and rings whose queues overflow"
    [samples]="the samples under ThreadSanitizer"
    [loops]="1, 2 and 8 event loops"
    [stress]="the stress suites, again and again"
    [simulation]="seeds on a simulated kernel, and planted bugs that they find"
    [deep]="many repetitions, all libraries but FileWatching"
    [storms]="FileWatching: large trees, a million changes"
    [long]="the samples: long loads"
    [traits]="the libraries with all traits, the samples with TLS"
    [alone]="the libraries with each trait alone"
    [docs]="DocC without warnings, a comment for each public symbol"
    [notes]="NotesServer and its stop; new servers of each kind"
    [http]="FlyingFox on the event loops: other clients, and its own tests"
    [ported]="code for GCD, ported by the plugins"
    [demo]="the demo, in release"
    [manifests]="the Kubernetes manifests, by their schemas"
    [containers]="the images, under several seccomp profiles"
)

usage() {
    sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

budget=
steps=()
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --list)
        for step in "${sanitizers[@]}" "${others[@]}"; do
            printf '%-12s %s\n' "$step" "${titles[$step]}"
        done
        exit 0
        ;;
    --budget)
        [[ ${2:-} =~ ^[0-9]+$ ]] || { echo "--budget needs a number of minutes" >&2; exit 64; }
        budget=$2
        shift
        ;;
    *)
        [ -n "${titles[$1]:-}" ] || { echo "no step is named '$1'; see --list" >&2; exit 64; }
        steps+=("$1")
        ;;
    esac
    shift
done
if [ ${#steps[@]} = 0 ]; then
    turn=0
    if [ -n "$budget" ]; then turn=$(($(git rev-list --count HEAD) % ${#others[@]})); fi
    steps=("${sanitizers[@]}" "${others[@]:turn}" "${others[@]:0:turn}")
fi

source Scripts/setup.sh
ring_setup tls
source Scripts/steps.sh

build_libraries() {
    step "build the libraries and their tests" swift build --build-tests --traits TLS "$@"
}
build_samples() {
    step "build the samples and their tests" swift build --package-path Samples --build-tests "$@"
}

verify_loops() {
    build_libraries || return
    local loops status=0
    for loops in 1 2 8; do
        RINGDISPATCH_LOOPS=$loops run_tests "$loops event loops" \
            "$(library_tests)" --filter '^(RingDispatch|RingNetwork)Tests\.' || status=1
    done
    return $status
}

verify_stress() {
    build_libraries || return
    local loops repetition status=0
    for loops in 2 8; do
        for repetition in 1 2 3 4 5 6 7 8 9 10; do
            RINGDISPATCH_LOOPS=$loops run_tests "stress $repetition with $loops event loops" \
                "$(library_tests)" --filter 'Tests\..*Stress' || status=1
        done
    done
    return $status
}

verify_simulation() {
    local place=.build-simulation
    step "build the simulation" env RINGDISPATCH_SIMULATION=1 swift build --product simulate \
        --scratch-path $place || return
    step "1,000 seeds of each scenario" $place/debug/simulate --seeds 1-1000 || return
    step "planted bugs" Tests/Simulation/planted.sh
}

verify_deep() {
    build_libraries || return
    RINGDISPATCH_TESTS=deep run_tests "deep, libraries" "$(library_tests)" \
        --skip '^FileWatchingTests\.'
}

verify_storms() {
    build_libraries || return
    RINGDISPATCH_TESTS=deep run_tests "deep, FileWatching" "$(library_tests)" \
        --filter '^FileWatchingTests\.'
}

verify_long() {
    build_samples || return
    RINGDISPATCH_TESTS=deep run_tests "deep, samples" "$(sample_tests)"
}

# The other builds do not fetch what the traits depend on.
keep_resolved() { cp Package.resolved "$logs/" 2>/dev/null || true; }
restore_resolved() { cp "$logs/Package.resolved" . 2>/dev/null || rm -f Package.resolved; }

verify_traits() {
    local status=0
    keep_resolved
    step "build the libraries with all traits" swift build --build-tests \
        --enable-all-traits --scratch-path .build-all-traits || status=1
    restore_resolved
    run_tests "with all traits" "$(library_tests .build-all-traits)" || status=1
    step "build the samples with TLS" swift build --package-path Samples --build-tests \
        --traits TLS --scratch-path .build-traits-samples || return
    run_tests "with TLS" "$(sample_tests .build-traits-samples)" || status=1
    return $status
}

# The other steps build with the trait TLS, and test.sh with none.
verify_alone() {
    local trait status=0
    local -A tests=(
        [FlyingFox]='^RingHTTPTests\.' [Logging]=Logging [Metrics]=MetricsTests
        [ServiceLifecycle]='ServiceTests|ServiceManager'
    )
    keep_resolved
    for trait in "${!tests[@]}"; do
        step "build the libraries with the trait $trait" swift build --build-tests \
            --traits "$trait" --scratch-path .build-alone || { status=1; break; }
        run_tests "with $trait" "$(library_tests .build-alone)" --filter "${tests[$trait]}" ||
            status=1
    done
    restore_resolved
    return $status
}

verify_docs() { step "the documentation of all libraries" Scripts/docs.sh; }

verify_notes() {
    local kind status=0
    step "build NotesServer" swift build --package-path Samples/NotesServer || return
    step "NotesServer" Scripts/notes-test.sh || status=1
    grep -h '^skipped' "$logs/NotesServer" || true
    step "build ringload" swift build --package-path Samples -c release --product ringload || return
    for kind in lines http datagrams; do
        step "a new server, --$kind" check_new_server $kind || status=1
    done
    return $status
}
# check_new_server KIND: creates a server outside this repository, tests it, and puts load on it.
check_new_server() {
    local place server port status=0
    place=$(mktemp -d)/Server
    Scripts/new-server.sh "$place" --"$1" && swift test --package-path "$place" || return
    "$place/.build/debug/Server" 0 2>"$place/log" &
    server=$!
    for _ in $(seq 100); do
        port=$(sed -n 's/.*listening on .*:\([0-9]*\)$/\1/p' "$place/log")
        [ -z "$port" ] || break
        sleep 0.1
    done
    "$place/load.sh" "$port" --warmup 0s --duration 1s || status=1
    kill "$server"
    wait "$server" || status=1
    cat "$place/log"
    rm -rf "$(dirname "$place")"
    return $status
}

verify_http() { Scripts/http-test.sh; }

verify_ported() {
    local place=Tests/PortedPackage fetched backend check status=0
    # Uses the package's own dependencies: nothing is resolved or fetched again.
    [ -e Package.resolved ] || swift package resolve || return
    cp Package.resolved $place/
    step "build the ported package" swift build --package-path $place \
        --force-resolved-versions || return
    fetched=$(ls $place/.build/checkouts)
    if [ "$fetched" != swift-system ]; then
        echo "a package that depends on RingDispatch fetches more than swift-system: $fetched"
        return 1
    fi
    for backend in auto epoll; do
        for check in porting-check run-loop-check async-main-check shortage-check; do
            step "$check on $backend" env RINGDISPATCH_BACKEND=$backend \
                $place/.build/debug/$check || status=1
        done
    done
    return $status
}

verify_tsan() {
    local place=.build-tsan status=0
    export TSAN_OPTIONS="halt_on_error=1"
    build_libraries --sanitize=thread --scratch-path $place || return
    # In parts: a single run would take minutes longer.
    for part in 'LinuxPlatform|RingDispatch' 'RingConcurrency|RingNetwork' 'RingTLS|Snippet|Tidy'; do
        run_tests "ThreadSanitizer, ${part//|/, }" "$(library_tests $place)" \
            --filter "^($part)Tests\\." || status=1
    done
    # One test at a time: the storms are slow already.
    run_tests "ThreadSanitizer, FileWatching" "$(library_tests $place)" \
        --filter '^FileWatchingTests\.' --no-parallel || status=1
    for loops in 2 8; do
        for repetition in 1 2 3; do
            RINGDISPATCH_LOOPS=$loops run_tests \
                "ThreadSanitizer, stress $repetition with $loops event loops" \
                "$(library_tests $place)" --filter '^RingDispatchTests\..*Stress' || status=1
        done
    done
    unset TSAN_OPTIONS
    return $status
}

# One test at a time: each starts servers. Not the idle ones: a thread of ThreadSanitizer's own
# wakes up all the time.
verify_samples() {
    local place=.build-tsan-samples
    export TSAN_OPTIONS="halt_on_error=1"
    build_samples --sanitize=thread --scratch-path $place || return
    run_tests "ThreadSanitizer, samples" "$(sample_tests $place)" \
        --no-parallel --skip '^SamplesTests\.IdleTests'
    local status=$?
    unset TSAN_OPTIONS
    return $status
}

verify_asan() {
    local place=.build-asan status=0
    export LSAN_OPTIONS="suppressions=$PWD/Scripts/leaks.txt:print_suppressions=0"
    build_libraries --sanitize=address -Xswiftc -DSMALL_RINGS --scratch-path $place || return
    run_tests "AddressSanitizer" "$(library_tests $place)" || status=1
    unset LSAN_OPTIONS
    return $status
}

verify_demo() { step "the demo" Scripts/demo.sh 64 2; }

# Without kubectl, the files are checked as they are: without the patch and the namespace.
verify_manifests() {
    local folder files status=0
    for folder in Deploy/kubernetes/*; do
        files=("$folder"/[!k]*.yaml)
        if command -v kubectl >/dev/null 2>&1; then
            files=("$logs/manifests.yaml")
            kubectl kustomize "$folder" >"${files[0]}" || return
        fi
        step "$folder" check_manifests "${files[@]}" || status=1
    done
    return $status
}
# A kind without a schema is only a warning: any output is a failure.
check_manifests() { .build-manifests/bin/kubernetes-validate --strict --quiet "$@" 2>&1 | (! grep .); }

verify_containers() {
    step "the images" Scripts/container-test.sh
}

begin=$SECONDS status=0
table=()
add_row() { table+=("$(printf '%-12s %8s  %s' "$1" "$2" "$3")"); }
can_fetch() { timeout 60 git ls-remote -q "https://github.com/$1" HEAD >/dev/null 2>&1; }
# missing_for STEP: what the step needs and the machine does not have.
missing_for() {
    case $1 in
    docs)
        command -v docc >/dev/null || echo "no docc: it comes with Swift's toolchain"
        command -v jq >/dev/null || echo "no jq"
        ;;
    http)
        can_fetch swhitty/FlyingFox || echo "FlyingFox cannot be fetched"
        command -v curl >/dev/null || echo "no curl"
        ;;
    traits | alone)
        can_fetch swhitty/FlyingFox || echo "the traits' packages cannot be fetched"
        ;;
    notes)
        pkg-config --exists sqlite3 || echo "NotesServer needs libsqlite3-dev"
        for tool in curl python3; do command -v $tool >/dev/null || echo "no $tool"; done
        can_fetch groue/GRDB.swift || echo "NotesServer's packages cannot be fetched"
        ;;
    containers)
        docker info >/dev/null 2>&1 || podman info >/dev/null 2>&1 || [ -n "${IMAGE_TOOL:-}" ] ||
            echo "neither docker nor podman runs here"
        ;;
    manifests)
        { python3 -m venv .build-manifests &&
            .build-manifests/bin/pip install --quiet kubernetes-validate; } >/dev/null 2>&1 ||
            echo "python3 cannot install kubernetes-validate"
        ;;
    esac
}

for name in "${steps[@]}"; do
    missing=$(missing_for "$name")
    if [ -n "$missing" ]; then
        add_row "$name" - "skipped: $missing"
        continue
    fi
    used=$(((SECONDS - begin) / 60))
    if [ -n "$budget" ] && [[ " ${sanitizers[*]} " != *" $name "* ]] &&
        [ $((used + minutes[$name])) -gt "$budget" ]; then
        add_row "$name" - "not this time: it may take ${minutes[$name]} minutes"
        continue
    fi
    printf '\n== %s: %s\n' "$name" "${titles[$name]}"
    start=$SECONDS
    if "verify_$name"; then
        result=passed
    else
        result=FAILED
        status=1
    fi
    add_row "$name" "$((SECONDS - start)) s" "$result"
done

printf '\n%-12s %8s  %s\n' step time result
printf '%s\n' "${table[@]}"
if [ $status != 0 ]; then
    printf '\nwhat failed, once more:\n'
    cat "$step_failures" 2>/dev/null || true
    echo "run a failed step again: Scripts/verify.sh STEP; all output is in $logs"
    exit 1
fi
rm -r "$logs"
