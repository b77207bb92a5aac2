#!/usr/bin/env bash
# Builds the documentation of all libraries with DocC, with all package traits, and that of
# LoadTesting. Lists the public symbols that have no comment.
#
#   Scripts/docs.sh
#
# Output: .build-docs/documentation/RingNetwork.doccarchive and so on, to put on a web server. To
# browse one at http://localhost:8000/documentation/ringnetwork:
#
#   python3 -m http.server -d .build-docs/documentation/RingNetwork.doccarchive
#
# Needs docc, which comes with Swift's toolchain, and jq. Exit status: 1 if DocC warns, if it links
# to a symbol that does not exist, or if a public symbol has no comment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ $# -gt 0 ]; then
    sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 64
fi
for tool in docc jq; do
    command -v $tool >/dev/null || { echo "docs: needs $tool in PATH" >&2; exit 1; }
done
source Scripts/setup.sh
ring_setup tls

libraries=(
    Sources/{RingDispatch,RingNetwork,RingTLS,RingConcurrency,FileWatching,RingHTTP}
    Samples/LoadTesting
)
build=.build-docs
output=$build/documentation
rm -rf $output
mkdir -p $output/graphs

# The traits fetch packages that other builds do not need.
cp Package.resolved $output/ 2>/dev/null || true
restore() { cp $output/Package.resolved . 2>/dev/null || rm -f Package.resolved; }
trap restore EXIT

# symbol_graphs PACKAGE SCRATCH_PATH: builds the libraries, and writes their symbols as JSON. SwiftPM
# fails in the end, at the modules of the tests, which it does not build.
symbol_graphs() {
    rm -rf "$2"/*/symbolgraph
    swift package --package-path "$1" --scratch-path "$2" --enable-all-traits dump-symbol-graph \
        --minimum-access-level public --skip-synthesized-members --emit-extension-block-symbols \
        >>$output/log 2>&1 || true
    cp "$2"/*/symbolgraph/*.symbols.json $output/graphs/ || { cat $output/log; exit 1; }
}
symbol_graphs . $build
symbol_graphs Samples $build/samples

# snippets PACKAGE NAME: writes the snippets that articles show as symbols, which is what
# `snippet-extract` of swift-docc-plugin makes.
snippets() {
    local file
    for file in "$1"/Snippets/*.swift; do
        awk '
            /^ *\/\/ snippet\.hide/ { hidden = 1; next }
            /^ *\/\/ snippet\.show/ { hidden = 0; next }
            !hidden && !(NR == 1 && /^\/\//)' "$file" |
            jq --raw-input --slurp --arg package "$2" --arg name "$(basename "$file" .swift)" '
                {
                    kind: {identifier: "swift.snippet", displayName: "Snippet"},
                    identifier: {
                        precise: "$snippet__\($package).\($name)", interfaceLanguage: "swift"
                    },
                    names: {title: $name}, pathComponents: ["Snippets", $name],
                    accessLevel: "public",
                    snippet: {language: "swift", lines: (rtrimstr("\n") | split("\n")), slices: {}}
                }'
    done | jq --slurp --arg package "$2" '
        {
            metadata: {formatVersion: {major: 0, minor: 1, patch: 0}, generator: "Scripts/docs.sh"},
            module: {name: $package, platform: {}, isVirtual: true},
            symbols: ., relationships: []
        }' >"$output/$2-snippets.symbols.json"
}
snippets . ring-dispatch
snippets Samples ring-dispatch-samples

status=0
for folder in "${libraries[@]}"; do
    library=$(basename "$folder")
    graphs=$output/graphs/of-$library
    mkdir "$graphs"
    cp $output/*-snippets.symbols.json "$graphs"/
    cp $output/graphs/"$library"{,@*}.symbols.json "$graphs"/ 2>/dev/null || true
    docc convert "$folder/$library".docc --warnings-as-errors \
        --additional-symbol-graph-dir "$graphs" \
        --fallback-bundle-identifier "ring-dispatch.$library" \
        --output-path $output/"$library".doccarchive || status=1
    # Comments of the protocol of another module that a symbol implements count.
    jq --raw-output --arg place "file://$PWD/" '
        .symbols[] | select(.docComment == null and .kind.identifier != "swift.extension")
        | "\(.location.uri | ltrimstr($place)):\(.location.position.line + 1): no comment: "
            + (.pathComponents | join("."))' "$graphs/$library"*.symbols.json >$output/undocumented
    if [ -s $output/undocumented ]; then
        cat $output/undocumented
        status=1
    fi
    echo "$library: $(jq '.symbols | length' "$graphs/$library".symbols.json) public symbols"
done
exit $status
