# Sourced by test.sh and verify.sh. Runs steps with one line of output each, runs built tests, and
# counts them. The output of all commands goes to files in `logs`.

logs=$(mktemp -d "${TMPDIR:-/tmp}/ring-dispatch-tests.XXXXXX")
failed_tests="$logs/failed" # a line each: back end, test
# What was printed about failed steps, by the scripts that this one calls too.
export step_failures="${step_failures:-$logs/failures}"
passed=0 skipped=0

# SwiftPM notices new files of a package that is used by path only when the user's manifest is new.
touch Samples/Package.swift Samples/NotesServer/Package.swift Tests/PortedPackage/Package.swift

export SWIFT_BACKTRACE=enable=no
export RINGDISPATCH_LOG=off

# The built tests of each package.
library_tests() { echo "${1:-.build}/debug/ring-dispatchPackageTests.xctest"; }
sample_tests() { echo "${1:-Samples/.build}/debug/ring-dispatch-samplesPackageTests.xctest"; }

# line TEXT SECONDS: the line of a step.
line() { printf '%-58s %4d s\n' "$1" "$2"; }

# step TITLE COMMAND...: runs a command. If it fails, shows the end of its output.
step() {
    local title=$1 start=$SECONDS log
    shift
    log="$logs/${title//[^a-zA-Z0-9]/-}"
    if "$@" >"$log" 2>&1; then
        line "$title" $((SECONDS - start))
    else
        {
            line "$title: failed" $((SECONDS - start))
            { grep -E '^[^ ].*(error|warning): ' "$log" || tail -n 40 "$log"; } |
                awk '!seen[$0]++' | head -n 60
            echo "everything it said: $log"
        } | tee -a "$step_failures"
        return 1
    fi
}

# start_tests LOG TESTS ARGUMENTS...: runs built tests. Each event is a line of JSON in LOG.events.
start_tests() {
    local log=$1 tests=$2
    shift 2
    "$tests" --testing-library swift-testing --event-stream-output-path "$log.events" \
        --event-stream-version 0 "$@" >"$log" 2>&1
}

# finish_tests TITLE BACKEND LOG SECONDS STATUS: prints the line of a run, and adds to the counts.
finish_tests() {
    local title=$1 backend=$2 log=$3 seconds=$4 status=$5 count
    # Lines: passed, failed, skipped or unfinished, and the test with its suite and module.
    awk '
        function field(name,  rest) {
            if (!match($0, "\"" name "\":\"")) return ""
            rest = substr($0, RSTART + RLENGTH)
            return substr(rest, 1, index(rest, "\"") - 1)
        }
        {
            test = field(/^{"kind":"test"/ ? "id" : "testID"); gsub(/\\\//, "/", test)
            # A function has its place at the end: Module.Suite/function()/File.swift:1:1.
            if (!sub(/\/[^\/]*:[0-9]+:[0-9]+$/, "", test)) next
            if (!(test in state)) state[test] = "unfinished"
            sub(/^{"kind":"event"/, "")
            kind = field("kind")
            if (kind == "testSkipped") {
                state[test] = "skipped"
                if (match($0, /skipped: [^}]*/)) reason[test] = substr($0, RSTART + 9, RLENGTH - 10)
                gsub(/\\"/, "", reason[test])
            }
            if (kind == "issueRecorded" && !/"isKnown":true/) state[test] = "failed"
            if (kind == "testEnded") state[test] = field("symbol") == "fail" ? "failed" : "passed"
        }
        END { for (test in state) print state[test], test, reason[test] }' "$log.events" >"$log.tests"
    sed -i 's/ *$//' "$log.tests"
    if [ $status = 0 ] && grep -q '^unfinished ' "$log.tests"; then status=1; fi
    count=$(grep -c '^passed ' "$log.tests" || true)
    passed=$((passed + count))
    skipped=$((skipped + $(grep -c '^skipped ' "$log.tests" || true)))
    if [ "$status" = 0 ]; then
        line "$title on $backend: $count tests" "$seconds"
        sed -n 's/^skipped /    skipped: /p' "$log.tests" | sort
        if [ "$count" = 0 ]; then
            echo "    no test ran"
            return 1
        fi
        return 0
    fi
    show_failure "$title on $backend: failed" "$backend" "$log" "$seconds" "$status" |
        tee -a "$step_failures"
    return 1
}

# show_failure TITLE BACKEND LOG SECONDS STATUS: which tests failed, and why.
show_failure() {
    local title=$1 backend=$2 log=$3 seconds=$4 status=$5 count
    line "$title" "$seconds"
    # A run that was ended leaves many tests unfinished, most of them without a fault.
    count=$(grep -c '^unfinished ' "$log.tests" || true)
    if [ "$count" -gt 9 ]; then
        echo "    the run was ended (status $status): $count tests had not finished"
        sed -i '/^unfinished /d' "$log.tests"
    fi
    sed -En "s/^(failed|unfinished) /$backend /p" "$log.tests" >>"$failed_tests"
    sed -En 's/^(failed|unfinished) /    \0/p' "$log.tests"
    grep -E '^Watchdog: |Fatal error: |^BUG IN CLIENT' "$log" | cut -c 1-240 | sed 's/^/    /'
    show_leaks "$log"
    if ! grep -A 3 '^✘ .* recorded an issue' "$log" | sed 's/^/    /' | cut -c 1-400 &&
        ! grep -q 'LeakSanitizer: detected memory leaks' "$log"; then
        grep -v '^[◇✔↳➜]' "$log" | cut -c 1-240 | tail -n 40 | sed 's/^/    /'
    fi
    echo "    everything it said: $log"
}

# show_leaks LOG: what LeakSanitizer found, and which functions of this repository allocated it.
show_leaks() {
    grep -q 'LeakSanitizer: detected memory leaks' "$1" || return 0
    echo "    LeakSanitizer: detected memory leaks"
    awk -v place="$PWD/" '
        /^(Direct|Indirect) leak of / { print; shown = 0 }
        /^ +#[0-9]+ / && (start = index($0, place)) && shown++ < 3 {
            print "    " $4, substr($0, start + length(place))
        }' "$1" | swift demangle --simplified | sed 's/^/    /' | cut -c 1-160 | head -n 40
}

# run_tests TITLE TESTS ARGUMENTS...: runs built tests on the back end that RINGDISPATCH_BACKEND
# names. Without it, on the one that the machine allows (auto) and on epoll, at the same time. On
# epoll, the tests that `skip_on_epoll` matches are skipped.
run_tests() {
    local title=$1 tests=$2 start=$SECONDS status=0 backend log
    local -a skip
    local -A processes=()
    shift 2
    for backend in ${RINGDISPATCH_BACKEND:-auto epoll}; do
        log="$logs/${title//[^a-zA-Z0-9]/-}-$backend"
        skip=()
        if [ "$backend" = epoll ] && [ -n "${skip_on_epoll:-}" ]; then
            skip=(--skip "$skip_on_epoll")
        fi
        RINGDISPATCH_BACKEND=$backend start_tests "$log" "$tests" "${skip[@]}" "$@" &
        processes[$backend]=$!
    done
    for backend in ${RINGDISPATCH_BACKEND:-auto epoll}; do
        log="$logs/${title//[^a-zA-Z0-9]/-}-$backend"
        local result=0
        wait "${processes[$backend]}" || result=$?
        finish_tests "$title" "$backend" "$log" $((SECONDS - start)) "$result" || status=1
    done
    return "$status"
}

# Prints the command that runs each failed test again.
print_remedies() {
    [ -s "$failed_tests" ] || return 0
    echo "run a failed test again:"
    sort -u "$failed_tests" | while read -r backend test; do
        echo "    RINGDISPATCH_BACKEND=$backend Scripts/test.sh '$test'"
    done
}
