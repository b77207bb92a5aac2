// Prints `name<TAB>nanoseconds per operation` for each benchmark once it is measured.
import Glibc

let benchmarks =
    syncBenchmarks + asyncBenchmarks + primitiveBenchmarks + timerBenchmarks + sourceBenchmarks
let arguments = CommandLine.arguments.dropFirst()
let options = arguments.filter { $0.hasPrefix("-") }
let wanted = Set(arguments.filter { !$0.hasPrefix("-") })
let unknownNames = wanted.subtracting(benchmarks.flatMap(\.names))

if !Set(options).isSubset(of: ["--list", "--quick"]) || !unknownNames.isEmpty {
    print("usage: \(CommandLine.arguments[0]) [--list] [--quick] [name ...]")
    print("unknown: \((options + unknownNames.sorted()).joined(separator: " "))")
    exit(2)
}

for benchmark in benchmarks where wanted.isEmpty || !wanted.isDisjoint(with: benchmark.names) {
    if options.contains("--list") {
        benchmark.names.forEach { print($0) }
        continue
    }
    for row in benchmark.run(quick: options.contains("--quick")) {
        let tenths = (row.nanoseconds * 10).rounded() / 10
        print("\(row.name)\t\(tenths)")
        fflush(nil)
    }
}
