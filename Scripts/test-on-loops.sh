#!/usr/bin/env bash
# Runs another package's tests with its tasks on the event loops (RingConcurrency.install()):
#
#   Scripts/test-on-loops.sh FOLDER [option of swift test...]
#
# FOLDER is a copy of the package. The script adds a target to it, and appends to its Package.swift.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [ $# -eq 0 ] || [ ! -f "$1/Package.swift" ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
cd "$1"
shift
if ! grep -q InstallsRingConcurrency Package.swift; then
    mkdir -p InstallsRingConcurrency
    # The loader calls it before main.
    cat >InstallsRingConcurrency/Install.swift <<'END'
import Glibc
import RingConcurrency

@section(".init_array") @used let install: @convention(c) () -> Void = {
    guard RingConcurrency.install() else { fatalError("tasks are not on the event loops") }
    // Not to standard output, from which SwiftPM reads the list of the tests.
    let line = Array("tasks run on the event loops\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
}
END
    cat >>Package.swift <<END

package.dependencies.append(.package(name: "ring-dispatch", path: "$root"))
package.targets.append(
    .target(
        name: "InstallsRingConcurrency",
        dependencies: [.product(name: "RingConcurrency", package: "ring-dispatch")],
        path: "InstallsRingConcurrency"))
for target in package.targets where target.type == .test {
    target.dependencies.append("InstallsRingConcurrency")
}
END
fi
exec swift test "$@"
