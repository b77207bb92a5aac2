#!/usr/bin/env bash
# Compiles the files of Tests/Misuse, which contain mistakes. The compiler must report an error at
# each line that ends with "// error", and nowhere else. Needs a debug build of the libraries.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

flags=(-swift-version 6 -enable-upcoming-feature InternalImportsByDefault -I .build/debug/Modules)
for map in .build/debug/CLinux.build Sources/CLiburing Sources/CTLS; do
    flags+=(-Xcc "-fmodule-map-file=$PWD/$map/module.modulemap")
done
status=0
for file in Tests/Misuse/*.swift; do
    output=$(swiftc -frontend -emit-sil -o /dev/null -module-name Misuse "${flags[@]}" "$file" 2>&1) || true
    wanted=$(grep -n '// error$' "$file" | cut -d: -f1)
    found=$(sed -n 's/^[^ ]*\.swift:\([0-9]*\):[0-9]*: error: .*/\1/p' <<< "$output" | sort -un)
    if [ "$wanted" != "$found" ]; then
        echo "$file: errors wanted at lines" $wanted "and found at" $found
        echo "$output"
        status=1
    fi
done
exit $status
