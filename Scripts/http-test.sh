#!/usr/bin/env bash
# Tests FlyingFox on the event loops with the clients that others wrote.
#
#   Scripts/http-test.sh           both parts
#   Scripts/http-test.sh server    builds the server of Benchmarks/HTTPPools; curl, wrk and Python's
#                                  websockets talk to it
#   Scripts/http-test.sh suite     runs FlyingFox's own tests with the pool `.ring`
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/steps.sh
source Scripts/http-tools.sh
server=
clean_up() { if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi; }
trap clean_up EXIT

# start OPTION...: starts the server on a free port, and sets `address`.
start() {
    Benchmarks/HTTPPools/.build/debug/http-pools 0 ring "$@" >"$logs/server" 2>&1 &
    server=$!
    for _ in $(seq 100); do
        address=$(sed -n 's/^listening on //p' "$logs/server")
        [ -z "$address" ] || return 0
        sleep 0.1
    done
    cat "$logs/server"
    return 1
}

check_curl() {
    answers Hello "http://$address/hello" &&
        answers 404 -o /dev/null -w '%{http_code}' "http://$address/none" || return
    # Many requests on one connection: curl keeps it for all URLs of a command.
    curl -sS --max-time 60 -w ' %{num_connects}\n' "http://$address/hello?[1-1000]" >"$logs/many" ||
        return
    sort "$logs/many" | uniq -c
    [ "$(sort "$logs/many" | uniq -c | xargs)" = "999 Hello 0 1 Hello 1" ]
}

# answers WHAT OPTION...: whether curl prints this.
answers() {
    local answer
    answer=$(curl -sS --max-time 20 "${@:2}") || return
    echo "${*:2}: $answer"
    [ "$answer" = "$1" ]
}

check_websockets() {
    "$python" - "ws://$address/echo" <<'PYTHON'
import asyncio
import os
import sys

import websockets


async def main():
    async with websockets.connect(sys.argv[1], max_size=None) as socket:
        for message in "text", "ä€😀" * 1000, b"\0\xff", os.urandom(1 << 20), "again":
            await socket.send(message)
            answer = await asyncio.wait_for(socket.recv(), 20)
            assert answer == message, (type(answer), len(answer))
        await asyncio.wait_for(await socket.ping(b"some bytes"), 20)
    # The server has sent its close, too.
    assert socket.close_code == 1000, socket.close_code


asyncio.run(main())
PYTHON
}

test_server() {
    step "build the HTTP server" swift build --package-path Benchmarks/HTTPPools
    local backend option title
    for backend in auto epoll; do
        for option in "" --install; do
            title="on $backend${option:+ with $option}"
            RINGDISPATCH_BACKEND=$backend start $option
            step "curl $title" check_curl
            if command -v wrk >/dev/null; then
                step "wrk $title" load_with_wrk "http://$address/hello"
            else
                echo "skipped: wrk is not installed"
            fi
            if find_websockets; then
                step "websockets $title" check_websockets
            else
                echo "skipped: python3 cannot install websockets"
            fi
            kill "$server"
            wait "$server" || true
            server=
        done
    done
}

# Docs/http.md says what these tests are, and which others FlyingFox itself leaves out.
not_run='webSocketConnectionToVI|URLSessionAsyncTests'

test_suite() {
    local url version backend install status=0
    url=$(sed -n 's/.*url: "\(.*FlyingFox\)".*/\1/p' Package.swift)
    # The version that the server is built with.
    step "resolve" swift package --package-path Benchmarks/HTTPPools resolve
    version=$(grep -A 6 '"flyingfox"' Benchmarks/HTTPPools/Package.resolved |
        sed -n 's/.*"version" : "\(.*\)".*/\1/p')
    place=.build-flyingfox
    make_suite "$url" "$version"
    step "build FlyingFox's tests" swift build --build-tests --package-path $place/Suite
    # One run at a time, and not in this folder: the tests make a socket `foxing` where they are.
    cd $place
    for backend in auto epoll; do
        for install in "" 1; do
            INSTALL=$install RINGDISPATCH_BACKEND=$backend run_tests \
                "FlyingFox's tests${install:+, with RingConcurrency}" \
                Suite/.build/debug/FlyingFoxSuitePackageTests.xctest --skip "$not_run" || status=1
        done
    done
    cd ..
    echo "FlyingFox $version, four runs: $passed tests passed; not run: $not_run"
    return $status
}

# make_suite URL VERSION: a copy of FlyingFox that asks the function `makePool` for its pools, and a
# package with its tests and that function.
make_suite() {
    if [ "$(cat $place/version 2>/dev/null)" != "$2" ]; then
        rm -rf $place/FlyingFox
        step "fetch FlyingFox $2" git clone --quiet --depth 1 --branch "$2" "$1" $place/FlyingFox
        echo "$2" >$place/version
    fi
    git -C $place/FlyingFox checkout --quiet --force
    local sources=$place/FlyingFox/FlyingSocks/Sources suite=$place/Suite
    sed -i 's/some AsyncSocketPool = SocketPool.make()/some AsyncSocketPool = GivenPool()/' \
        $sources/AsyncSocket.swift
    sed -i 's/return .ePoll(logger: logger)/return GivenPool()/' \
        $place/FlyingFox/FlyingFox/Sources/HTTPServer.swift
    if [ "$(git -C $place/FlyingFox diff --name-only | wc -l)" != 2 ]; then
        echo "FlyingFox $2 makes its pools elsewhere"
        return 1
    fi
    # The tests use these, and are in another package here.
    find $place/FlyingFox -path '*/Sources/*.swift' \
        -exec sed -i -z -E 's/@usableFromInline(\s+)package /\1package /g' {} + \
        -exec sed -i -E 's/^( *)package (.*)/\1public \2/' {} +
    cat >$sources/GivenPool.swift <<'SWIFT'
@_silgen_name("makePool") func makePool() -> any AsyncSocketPool

public struct GivenPool: AsyncSocketPool {
    private let pool = makePool()
    public init() {}
    public func prepare() async throws { try await pool.prepare() }
    public func run() async throws { try await pool.run() }
    public func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        try await pool.suspendSocket(socket, untilReadyFor: events)
    }
}
SWIFT
    mkdir -p $suite/Sources/Pool $suite/Sources/Start/include
    cp -r $place/FlyingFox/FlyingFox/Tests $suite/FlyingFoxTests.new
    cp -r $place/FlyingFox/FlyingSocks/Tests $suite/FlyingSocksTests.new
    rm -rf $suite/FlyingFoxTests $suite/FlyingSocksTests
    mv $suite/FlyingFoxTests.new $suite/FlyingFoxTests
    mv $suite/FlyingSocksTests.new $suite/FlyingSocksTests
    cat >$suite/Sources/Pool/Pool.swift <<'SWIFT'
import FlyingSocks
import Foundation
import RingConcurrency
import RingHTTP

@_silgen_name("makePool") public func makePool() -> any AsyncSocketPool { RingSocketPool.ring }

@_cdecl("installIfAsked") public func installIfAsked() {
    guard ProcessInfo.processInfo.environment["INSTALL"] == "1" else { return }
    if !RingConcurrency.install() { exit(1) }
}
SWIFT
    touch $suite/Sources/Start/include/Start.h
    cat >$suite/Sources/Start/Start.c <<'C'
void installIfAsked(void);
// Before `main`: the tests are tasks already.
__attribute__((constructor)) static void start(void) { installIfAsked(); }
C
    cat >$suite/Package.swift <<SWIFT
// swift-tools-version: 6.2
import PackageDescription

let libraries: [Target.Dependency] = [
    "Pool", "Start", .product(name: "FlyingFox", package: "FlyingFox"),
    .product(name: "FlyingSocks", package: "FlyingFox"),
]
let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]
let package = Package(
    name: "FlyingFoxSuite",
    dependencies: [
        .package(name: "ring-dispatch", path: "$PWD", traits: ["FlyingFox"]),
        .package(path: "../FlyingFox"),
    ],
    targets: [
        .target(
            name: "Pool",
            dependencies: [
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "RingConcurrency", package: "ring-dispatch"),
                .product(name: "RingHTTP", package: "ring-dispatch"),
            ]),
        .target(name: "Start"),
        .testTarget(
            name: "FlyingFoxTests", dependencies: libraries, path: "FlyingFoxTests",
            resources: [.copy("Stubs")], swiftSettings: settings),
        .testTarget(
            name: "FlyingSocksTests", dependencies: libraries, path: "FlyingSocksTests",
            swiftSettings: settings),
    ]
)
SWIFT
}

case ${1:-all} in
all)
    test_server
    test_suite
    ;;
server | suite) "test_$1" ;;
*)
    sed -n '4,7s/^# \{0,1\}//p' "$0"
    exit 64
    ;;
esac
rm -r "$logs"
