#!/usr/bin/env bash
# Creates a package with a small server on RingDispatch, in a new folder:
#
#   Scripts/new-server.sh NAME [--lines]     answers lines over TCP
#   Scripts/new-server.sh NAME --http        answers HTTP requests (FlyingFox); handlers may block
#   Scripts/new-server.sh NAME --datagrams   answers UDP datagrams
#
# NAME is the folder; its last part names the program: letters and digits, a letter first.
# The server logs, stops cleanly on SIGTERM, and has a test, a Dockerfile and a script that puts load
# on it (load.sh). Its README says how to run them.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
templates=$repository/Scripts/new-server
# For sed's replacement, in which these have a meaning.
repository_text=$(sed 's/[\\&|]/\\&/g' <<<"$repository")

usage() { sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
fail() {
    echo "new-server: $1" >&2
    echo "new-server: --help says how to use it" >&2
    exit 64
}

# Swift's keywords, which cannot name a module.
keywords='Any Self as associatedtype break case catch class continue default defer deinit do else
enum extension fallthrough false fileprivate for func guard if import in init inout internal is let
nil operator precedencegroup private protocol public repeat rethrows return self static struct
subscript super switch throw throws true try typealias var where while'

folder='' kind='' is_taken=''
for argument in "$@"; do
    case $argument in
    -h | --help)
        usage
        exit 0
        ;;
    --lines | --http | --datagrams)
        [ -z "$kind" ] || fail "choose one of --lines, --http and --datagrams"
        kind=${argument#--}
        ;;
    -*) fail "there is no option $argument" ;;
    *)
        [ -z "$folder" ] || fail "one name, please: $folder or $argument?"
        folder=$argument
        ;;
    esac
done
[ -n "$folder" ] || fail "the server needs a name"
kind=${kind:-lines}
name=$(basename "$folder")
[[ $name =~ ^[A-Za-z][A-Za-z0-9]*$ ]] ||
    fail "'$name' cannot name a program: use letters and digits, a letter first"
# The name is also that of the program's module.
case $name in
Swift | Foundation | Glibc | Dispatch | Testing | XCTest) is_taken=1 ;;
FlyingFox | FlyingSocks | Logging | ServiceLifecycle | SystemPackage) is_taken=1 ;;
*) [ ! -d "$repository/Sources/$name" ] || is_taken=1 ;;
esac
[ -z "$is_taken" ] || fail "'$name' is a library that the server uses: choose another name"
[[ " ${keywords//$'\n'/ } " != *" $name "* ]] ||
    fail "'$name' is a keyword of Swift: choose another name"
[ ! -e "$folder" ] || fail "$folder exists already"

mkdir -p "$folder/Sources" "$folder/Tests"
# fill TEMPLATE FILE: copies a template, with the server's name and its kind's parts.
fill() {
    sed -e "s|@NAME@|$name|g" -e "s|@IMAGE@|${name,,}|g" -e "s|@KIND@|$kind|g" \
        -e "s|@RING_DISPATCH@|$repository_text|g" \
        -e "/@only $kind@/s/ *\(\/\/\|#\|<!--\) @only $kind@.*//" -e '/@only [a-z]*@/d' \
        "$templates/$1" >"$folder/$2"
}
fill Package.swift.template Package.swift
fill main.swift.template Sources/Main.swift
fill "$kind.swift.template" Sources/Server.swift
fill tests.swift.template "Tests/ServerTests.swift"
fill Dockerfile.template Dockerfile
fill load.sh.template load.sh
fill README.md.template README.md
chmod +x "$folder/load.sh"
printf '.build/\n' | tee "$folder/.gitignore" >"$folder/.dockerignore"

echo "Created $folder. Now:"
printf '    cd %q\n' "$folder"
echo "    swift test"
echo "    swift run $name"
