# Sourced by container-test.sh: builds and runs images with a container engine or IMAGE_TOOL. Uses
# its `engine`, `tool`, `image` and `work`. The last output is in $work/log.

name=ring-dispatch-test-$$
network=$name
options=()
tool_process=
server_process=

runner_name() { [ -n "$engine" ] && echo "$engine" || echo "$tool"; }

# build_image IMAGE DOCKERFILE
build_image() {
    local format=()
    if [ -n "$engine" ]; then
        # Health checks exist only in Docker's image format, which is not podman's default.
        [[ $engine != *podman* ]] || format=(--format docker)
        "$engine" build --quiet "${format[@]}" --tag "$1" --file "$2" .
    elif [ "$2" = Dockerfile ]; then
        bash "$tool" "$1"
    else
        # The tool builds ./Dockerfile only.
        rm -rf "$work/context"
        mkdir "$work/context"
        git ls-files -z --cached --others --exclude-standard |
            xargs -0 cp --no-dereference --parents -t "$work/context"
        cp "$2" "$work/context/Dockerfile"
        (cd "$work/context" && bash "$tool" "$1")
    fi
}

# build_new_server IMAGE FOLDER: a package of new-server.sh, with its own Dockerfile.
build_new_server() {
    if [ -n "$engine" ]; then
        "$engine" build --quiet --build-context ring-dispatch=. --tag "$1" "$2"
    else
        # The tool has one context: a copy of both packages.
        mkdir "$2/ring-dispatch"
        git ls-files -z --cached --others --exclude-standard Package.swift Sources Plugins Tests |
            xargs -0 cp --no-dereference --parents -t "$2/ring-dispatch"
        sed -i 's/^COPY --from=ring-dispatch \. /COPY ring-dispatch /' "$2/Dockerfile"
        (cd "$2" && bash "$tool" "$1")
    fi
}

begin_runs() {
    [ -z "$engine" ] || "$engine" network create "$network" >/dev/null
}

clean_up() {
    if [ -n "$engine" ]; then
        "$engine" rm --force "$name" >/dev/null 2>&1 || true
        "$engine" network rm "$network" >/dev/null 2>&1 || true
    elif [ -n "$server_process" ]; then
        kill "$server_process" 2>/dev/null || true
        wait "$tool_process" || true
    fi
    rm -rf "$work"
}

# run_once PROFILE COMMAND...: writes the output to the log, returns the status.
run_once() {
    local profile=$1
    shift
    if [ -n "$engine" ]; then
        "$engine" run --rm --network "$network" \
            ${profile:+--security-opt "seccomp=$profile"} "$image" "$@" >"$work/log" 2>&1
    else
        # Removes the tool's own messages.
        run_tool "$profile" "$@" >"$work/all" 2>&1 && local status=0 || local status=$?
        grep -v -e '^subprocess exited' -e '^Error: exit status' "$work/all" >"$work/log" || true
        return "$status"
    fi
}
run_client() { run_once "$@"; }

run_tool() {
    local profile=$1
    shift
    SECCOMP=$profile bash "$tool" --run "$image" "$@"
}

# start_server PROFILE COMMAND...: waits until the server listens; sets `address` for clients.
# `server_image` replaces the image. `takes_place`: its arguments are PORT ADDRESS.
start_server() {
    local profile=$1 host=127.0.0.1 port= image=${server_image:-$image}
    local outside=(--host 0.0.0.0 --port 7007) free=(--port 0)
    [ -z "${takes_place:-}" ] || outside=(7007 0.0.0.0) free=(0)
    shift
    if [ -n "$engine" ]; then
        host=$name
        "$engine" run --detach --name "$name" --network "$network" "${options[@]}" \
            ${profile:+--security-opt "seccomp=$profile"} "$image" \
            "$@" "${outside[@]}" >/dev/null
    else
        : >"$work/server"
        # The tool uses the host's network.
        run_tool "$profile" "$@" "${free[@]}" >"$work/server" 2>&1 &
        tool_process=$!
    fi
    for _ in $(seq 100); do
        server_log
        port=$(sed -n 's/.*listening on .*:\([0-9]*\)\/\{0,1\}$/\1/p' "$work/log")
        [ -z "$port" ] || break
        sleep 0.1
    done
    if [ -z "$port" ]; then
        echo "container-test: the server did not listen within 10 s:" >&2
        cat "$work/log" >&2
        exit 1
    fi
    address=$host:$port
    server_command=("$@" --port "$port")
    [ -n "$engine" ] || server_process=$(descendant_called "$1" "$tool_process")
}

server_log() {
    if [ -n "$engine" ]; then
        "$engine" logs "$name" >"$work/log" 2>&1
    else
        cp "$work/server" "$work/log"
    fi
}

# stop_server: sends SIGTERM and collects the rest of the log; sets `status`.
stop_server() {
    status=0
    if [ -n "$engine" ]; then
        "$engine" stop --time 10 "$name" >/dev/null
        status=$("$engine" inspect --format '{{.State.ExitCode}}' "$name")
        server_log
        "$engine" rm "$name" >/dev/null
    else
        kill -TERM "$server_process"
        wait "$tool_process" || status=$?
        server_process=
        server_log
    fi
}

# Runs the image's HEALTHCHECK. IMAGE_TOOL has no process 1, so it gets the server's command.
check_health() {
    if [ -n "$engine" ]; then
        "$engine" exec "$name" check-health
    else
        run_tool "" check-health "${server_command[@]}"
    fi
}

server_peak_kilobytes() {
    local file=/proc/1/status
    if [ -n "$engine" ]; then
        "$engine" exec "$name" sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "$file"
    else
        sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$server_process/status"
    fi
}

# server_image_bytes: of all files in the image of the running server.
server_image_bytes() {
    if [ -n "$engine" ]; then
        "$engine" image inspect --format '{{.Size}}' "${server_image:-$image}"
    else
        du --summarize --bytes --one-file-system "/proc/$server_process/root/" | cut -f 1
    fi
}

# added_bytes FILES: bytes in the image's own layers; with IMAGE_TOOL, of the files.
added_bytes() {
    # The base image has exactly one layer, the first.
    if [[ $engine = *podman* ]]; then
        "$engine" history --format json "$image" | jq '[.[].size] | .[:-1] | add'
    elif [ -n "$engine" ]; then
        "$engine" history --human=false --format '{{.Size}}' "$image" | sed '$d' |
            awk '{ sum += $1 } END { print sum + 0 }'
    else
        run_once "" sh -c "du -sbc $1 | tail -n 1"
        cut -f 1 "$work/log"
    fi
}

# descendant_called NAME PROCESS: does not wait, since the server already listens.
descendant_called() {
    local child
    for child in $(cat /proc/"$2"/task/*/children 2>/dev/null); do
        if [ "$(cat "/proc/$child/comm")" = "$1" ]; then
            echo "$child"
            return
        fi
        descendant_called "$1" "$child"
    done
}
