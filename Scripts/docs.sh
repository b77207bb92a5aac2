#!/usr/bin/env bash
# Builds the documentation of all libraries with DocC, with all package traits. Lists the public
# symbols that have no comment.
#
#   Scripts/docs.sh
#
# Output: .build-docs/documentation/RingNetwork.doccarchive and so on, to put on a web server.
#
# Needs docc, which comes with Swift's toolchain, and jq. Exit status: 1 if DocC warns, if it links
# to a symbol that does not exist, or if a public symbol has no comment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ $# -gt 0 ]; then
    sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 64
fi
for tool in docc jq; do
    command -v $tool >/dev/null || { echo "docs: needs $tool in PATH" >&2; exit 1; }
done
source Scripts/setup.sh
ring_setup tls

libraries=(RingDispatch RingNetwork RingTLS RingConcurrency FileWatching RingHTTP)
build=.build-docs
output=$build/documentation
rm -rf $output
mkdir -p $output/graphs

# The traits fetch packages that other builds do not need.
cp Package.resolved $output/ 2>/dev/null || true
restore() { cp $output/Package.resolved . 2>/dev/null || rm -f Package.resolved; }
trap restore EXIT
rm -rf $build/*/symbolgraph
# Builds the libraries. Fails in the end, at the modules of the tests, which it does not build.
swift package --enable-all-traits --scratch-path $build dump-symbol-graph \
    --minimum-access-level public --skip-synthesized-members --emit-extension-block-symbols \
    >$output/log 2>&1 || true
graphs=$(echo $build/*/symbolgraph)
for library in "${libraries[@]}"; do
    [ -e "$graphs/$library.symbols.json" ] || { cat $output/log; exit 1; }
done

# The snippets that articles show, as symbols: what `snippet-extract` of swift-docc-plugin makes.
for file in Snippets/*.swift; do
    awk '
        /^ *\/\/ snippet\.hide/ { hidden = 1; next }
        /^ *\/\/ snippet\.show/ { hidden = 0; next }
        !hidden && !(NR == 1 && /^\/\//)' "$file" |
        jq --raw-input --slurp --arg name "$(basename "$file" .swift)" '
            {
                kind: {identifier: "swift.snippet", displayName: "Snippet"},
                identifier: {
                    precise: "$snippet__ring-dispatch.\($name)", interfaceLanguage: "swift"
                },
                names: {title: $name}, pathComponents: ["Snippets", $name],
                accessLevel: "public",
                snippet: {language: "swift", lines: (rtrimstr("\n") | split("\n")), slices: {}}
            }'
done | jq --slurp '
    {
        metadata: {formatVersion: {major: 0, minor: 1, patch: 0}, generator: "Scripts/docs.sh"},
        module: {name: "ring-dispatch", platform: {}, isVirtual: true},
        symbols: ., relationships: []
    }' >$output/snippets.symbols.json

status=0
for library in "${libraries[@]}"; do
    mkdir $output/graphs/"$library"
    cp $output/snippets.symbols.json "$graphs/$library".symbols.json $output/graphs/"$library"/
    cp "$graphs/$library"@*.symbols.json $output/graphs/"$library"/ 2>/dev/null || true
    docc convert Sources/"$library"/"$library".docc --warnings-as-errors \
        --additional-symbol-graph-dir $output/graphs/"$library" \
        --fallback-bundle-identifier "ring-dispatch.$library" \
        --output-path $output/"$library".doccarchive || status=1
    # Comments of the protocol of another module that a symbol implements count.
    jq --raw-output --arg place "file://$PWD/" '
        .symbols[] | select(.docComment == null and .kind.identifier != "swift.extension")
        | "\(.location.uri | ltrimstr($place)):\(.location.position.line + 1): no comment: "
            + (.pathComponents | join("."))' \
        $output/graphs/"$library"/"$library"*.symbols.json >$output/undocumented
    if [ -s $output/undocumented ]; then
        cat $output/undocumented
        status=1
    fi
    echo "$library: $(jq '.symbols | length' $output/graphs/"$library"/"$library".symbols.json) public symbols"
done
exit $status
