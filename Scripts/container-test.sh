#!/usr/bin/env bash
# Builds the images and runs the first under the engine's default seccomp profile, under the
# shipped one, and under profiles that allow only a part of io_uring. Loads EchoServer from a second
# container, and checks the back end, exit status, drain, image size, start time and memory. Loads
# the servers of the other images, and of the images of new servers (Scripts/new-server.sh).
#
#   Scripts/container-test.sh             builds, then tests
#   Scripts/container-test.sh --no-build  tests the existing image
#
# Environment:
#   IMAGE=ring-dispatch  the image's name; the others begin with it
#   ENGINE=podman        docker, podman, or an engine with the same commands; default: the first
#                        one that runs; none: use IMAGE_TOOL
#   IMAGE_TOOL=PATH      replaces a missing engine: `TOOL IMAGE` builds the image, and
#                        `TOOL --run IMAGE COMMAND...` runs a command, under the profile in SECCOMP.
#                        Checks that need an engine (limits, process 1, a read-only file system)
#                        are skipped.
#
# Needs jq. Exit status: 0 if all checks pass, 1 otherwise.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-} in
-h | --help)
    sed -n '2,21s/^# \{0,1\}//p' Scripts/container-test.sh
    exit 0
    ;;
"" | --no-build) ;;
*)
    echo "usage: Scripts/container-test.sh [--no-build]" >&2
    exit 64
    ;;
esac

image=${IMAGE:-ring-dispatch}
tool=${IMAGE_TOOL:-}
engine=${ENGINE:-}
if [ -z "$engine" ]; then
    for candidate in docker podman; do
        if "$candidate" info >/dev/null 2>&1; then engine=$candidate; break; fi
    done
fi
[ "$engine" != none ] || engine=
[ -z "$tool" ] || tool=$(realpath "$tool")
if [ -z "$engine" ] && ! [ -e "$tool" ]; then
    echo "container-test: neither docker nor podman runs here, and there is no IMAGE_TOOL" >&2
    exit 1
fi
command -v jq >/dev/null || { echo "container-test: needs jq: apt-get install jq" >&2; exit 1; }

work=$(mktemp -d)
. Scripts/container-runs.sh
trap 'clean_up' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

failures=0
step() { printf '\n== %s\n' "$*"; }
# check WHAT COMMAND...
check() {
    local what=$1
    shift
    if "$@" >/dev/null 2>&1; then echo "   ok: $what"; return; fi
    echo "   FAILED: $what"
    tail -n 3 "$work/log" | sed 's/^/      /'
    failures=$((failures + 1))
}
shows() { grep -qE -- "$1" "$work/log"; }
at_most() { [ "$1" -le "$2" ]; }

step "build ($(runner_name))"
if [ "${1:-}" != --no-build ]; then
    build_image "$image" Dockerfile
    build_image "$image-static" Docker/static.Dockerfile
    for kind in lines http; do
        Scripts/new-server.sh "$work/$kind/Server" --$kind
        build_new_server "$image-new-$kind" "$work/$kind/Server"
    done
fi
begin_runs

shipped=$PWD/Docker/seccomp-io_uring.json
# If the host itself refuses io_uring, no profile can allow it.
expected=io_uring
run_once "$shipped" timeout 2 EchoServer --backend io_uring --port 0 || true
if ! shows 'RingDispatch: io_uring back end'; then
    echo "   the host refuses io_uring under any profile: $(head -n 1 "$work/log")"
    expected=epoll
fi

# The engine's default profile; old engines' profiles allow io_uring, so use today's for them.
default=
run_once "" timeout 2 EchoServer --port 0 || true
if shows 'RingDispatch: io_uring back end'; then
    default=$work/default.json
    jq '.syscalls |= map(select(.names | contains(["io_uring_setup"]) | not))' "$shipped" \
        >"$default"
fi

for profile in default shipped; do
    step "EchoServer under the $profile profile, loaded from a second container"
    backend=$([ "$profile" = shipped ] && echo "$expected" || echo epoll)
    seccomp=$([ "$profile" = shipped ] && echo "$shipped" || echo "$default")
    start_server "$seccomp" EchoServer --http-port 0
    run_client "$seccomp" ringload "tcp://$address" --connections 64 --duration 2s --warmup 0s ||
        true
    check "ringload verified every echo" shows '^errors +0$'
    server_log
    check "it runs on $backend" shows "^RingDispatch: $backend back end, [0-9]+ event loops? \(.+\)$"
    if [ "$profile" = default ]; then
        check "the log line names cause and remedy" \
            shows 'io_uring_setup failed: .*errno [0-9]+\); .*profile'
    fi
    check "it logs one line" test "$(grep -c RingDispatch "$work/log")" = 1
    check "its health check passes" check_health
    stop_server
    check "SIGTERM ends it with status 0" test "$status" = 0
    check "it prints a summary" shows '^served [0-9]+ connections, [1-9][0-9]* messages'
    check "no client was cut off" eval '! shows "cut off|did not end"'
done

step "profiles that allow a part of io_uring"
for call in setup enter register; do
    jq --arg call "io_uring_$call" '.syscalls |= map(.names -= [$call] | select(.names != []))' \
        "$shipped" >"$work/without-$call.json"
    run_once "$work/without-$call.json" timeout 2 EchoServer --port 0 || true
    check "without io_uring_$call: epoll, and the call is named" \
        shows "epoll back end, .*io_uring_$call failed"
    run_once "$work/without-$call.json" EchoServer --port 0 --backend io_uring && status=0 ||
        status=$?
    check "without io_uring_$call: --backend io_uring ends with status 78 and the reason" \
        eval '[ "$status" = 78 ] && shows "cannot be had: io_uring_$call failed"'
done

step "each program"
run_once "" samples || true
for program in $(sed -n 's/.*these names: //p' "$work/log") NotesServer; do
    run_once "" "$program" --help && status=0 || status=$?
    # GCDEcho has no --help, only a usage line.
    check "$program" eval \
        '{ [ $status = 0 ] || [ $status = 64 ]; } && shows "(USAGE|usage): $program"'
done
run_once "" id -u
check "the image does not run as root" shows '^[1-9][0-9]*$'

step "image size, start time, memory"
added_megabytes=$(($(added_bytes '/usr/local/bin/* /usr/lib/*/liburing* /usr/lib/*/libssl* \
    /usr/lib/*/libcrypto* /usr/lib/*/libsqlite3* /usr/lib/*/libcurl*') / 1000000))
check "the image adds at most 120 MB to its base: $added_megabytes MB" at_most "$added_megabytes" 120
run_once "" sh -c 'for run in 1 2 3 4 5; do begin=$(date +%s%N)
    timeout 1 EchoServer --port 0 2>/dev/null | { read -r line
    echo $((($(date +%s%N) - begin) / 1000000)); }; done'
milliseconds=$(grep -x '[0-9]*' "$work/log" | sort -n | sed -n 3p)
check "it listens within 100 ms: $milliseconds ms" at_most "$milliseconds" 100

# ringload needs a descriptor for each connection, and the engine may limit their number.
run_once "" sh -c 'ulimit -H -n'
connections=$(awk '{ print ($1 == "unlimited" || $1 > 1100 ? 1000 : $1 - 100) }' "$work/log")
start_server "" EchoServer
run_client "" ringload "tcp://$address" --connections "$connections" --duration 2s --warmup 0s ||
    true
check "ringload with $connections connections verified every echo" shows '^errors +0$'
kilobytes=$(server_peak_kilobytes)
check "$connections connections take less than 64 MiB: $kilobytes KiB" at_most "$kilobytes" 65536
stop_server
check "it was not killed" test "$status" = 0

step "EchoServer in an image without anything else"
server_image=$image-static start_server "$shipped" EchoServer
run_client "$shipped" ringload "tcp://$address" --connections 64 --duration 2s --warmup 0s || true
check "ringload verified every echo" shows '^errors +0$'
megabytes=$(($(server_image=$image-static server_image_bytes) / 1000000))
check "the image has at most 60 MB: $megabytes MB" at_most "$megabytes" 60
stop_server
check "it runs on $expected" shows "^RingDispatch: $expected back end"
check "SIGTERM ends it with status 0" test "$status" = 0

step "NotesServer"
start_server "$shipped" NotesServer --folder /var/lib/notes
run_client "$shipped" ringload "http://$address/notes" --connections 16 --duration 2s --warmup 0s ||
    true
check "ringload received every answer" shows '^errors +0$'
check "its health check passes" check_health
stop_server
check "SIGTERM ends it with status 0" test "$status" = 0

for kind in lines http; do
    step "a new server, --$kind, in its image"
    server_image=$image-new-$kind takes_place=1 start_server "$shipped" Server
    case $kind in
    lines) target=("tcp://$address" --lines hello) ;;
    http) target=("http://$address/") ;;
    esac
    run_client "$shipped" ringload "${target[@]}" --connections 16 --duration 2s --warmup 0s || true
    check "ringload received every answer" shows '^errors +0$'
    stop_server
    check "it runs on $expected" shows "$expected back end"
    check "SIGTERM ends it with status 0" test "$status" = 0
done

if [ -n "$engine" ]; then
    step "an engine's limits"
    options=(--read-only --cap-drop ALL --security-opt no-new-privileges --memory 64m --cpus 1)
    start_server "$shipped" EchoServer
    run_client "" ringload "tcp://$address" --connections "$connections" --duration 2s \
        --warmup 0s || true
    check "$connections connections, read-only, in 64 MiB: every echo verified" shows '^errors +0$'
    "$engine" exec "$name" sh -c '(sleep 0.1 &)'
    server_log
    check "one CPU is one loop" shows "$expected back end, 1 event loop "
    sleep 0.5 # until the orphan ends
    check "an orphan is reaped" eval \
        '! "$engine" exec "$name" sh -c "grep -l \"^State:.Z\" /proc/[0-9]*/status"'
    stop_server
    check "it was not killed for its memory, and drained" test "$status" = 0
fi

echo
if [ "$failures" -gt 0 ]; then
    echo "container-test: $failures checks failed"
    exit 1
fi
echo "container-test: all checks passed"
