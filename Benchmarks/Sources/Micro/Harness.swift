import Glibc

/// One benchmark. It may yield several rows, such as the p50 and p99 of a distribution.
struct Benchmark: Sendable {
    let names: [String]
    let operations: Int
    let repetitions: Int
    /// Runs the operations and returns one value in nanoseconds for each name.
    let measure: @Sendable (_ operations: Int) -> [Double]

    init(
        names: [String], operations: Int, repetitions: Int,
        measure: @escaping @Sendable (_ operations: Int) -> [Double]
    ) {
        self.names = names
        self.operations = operations
        self.repetitions = repetitions
        self.measure = measure
    }

    /// The common case: `body` returns the total nanoseconds of all operations.
    init(
        _ name: String, operations: Int, repetitions: Int = 7,
        body: @escaping @Sendable (_ operations: Int) -> UInt64
    ) {
        self.init(names: [name], operations: operations, repetitions: repetitions) { count in
            [Double(body(count)) / Double(count)]
        }
    }

    /// Warms up, measures, and returns each name with its median over the repetitions.
    func run(quick: Bool) -> [(name: String, nanoseconds: Double)] {
        let count = quick ? max(operations / 20, 10) : operations
        _ = measure(max(count / 10, 10))
        let samples = (0..<(quick ? 3 : repetitions)).map { _ in measure(count) }
        return names.enumerated().map { index, name in
            (name, median(samples.map { $0[index] }))
        }
    }
}

/// State shared between a benchmark and its blocks. Safety: the benchmark orders the accesses, by a
/// serial queue or by a semaphore between the last write and the read.
final class Cell<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

func nowNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func elapsedNanoseconds(_ body: () -> Void) -> UInt64 {
    let start = nowNanoseconds()
    body()
    return nowNanoseconds() - start
}

func median(_ values: [Double]) -> Double {
    percentile(values, 0.5)
}

/// The given percentile (0...1) of the values, by nearest rank.
func percentile(_ values: [Double], _ part: Double) -> Double {
    precondition(!values.isEmpty, "a percentile needs values")
    let sorted = values.sorted()
    let index = Int((Double(sorted.count - 1) * part).rounded())
    return sorted[index]
}
