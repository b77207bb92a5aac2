internal import CSimulation
internal import Glibc

/// Runs the seeds, and reports those that fail.
struct Runner {
    let options: Options

    init(_ options: Options) { self.options = options }

    /// The real time that a run may take.
    private static let mostSeconds: UInt32 = 60
    private static let mostSteps: UInt64 = 5_000_000

    func run() -> Never {
        runner_start()
        var hasFailed = false
        for scenario in options.scenarios {
            if !run(scenario) { hasFailed = true }
        }
        exit(hasFailed ? 1 : 0)
    }

    private func run(_ scenario: Scenario) -> Bool {
        var failed: [UInt64] = []
        var total = runner_outcome()
        let start = Runner.seconds()
        var count = 0
        for seed in options.seeds {
            count += 1
            let outcome = run(scenario, seed)
            if let outcome {
                total.steps += outcome.steps
                total.switches += outcome.switches
                total.nanoseconds += outcome.nanoseconds
                total.hash = (total.hash ^ outcome.hash) &* 0x100_0000_01b3
                if options.runsTwice, run(scenario, seed)?.hash != outcome.hash {
                    print("seed \(seed): a second run differs")
                    failed.append(seed)
                }
            } else {
                print("FAILED: simulate \(scenario.name) --seeds \(seed)-\(seed) --trace")
                failed.append(seed)
            }
            if options.stops && !failed.isEmpty { break }
        }
        let seconds = Runner.seconds() - start
        print(
            "\(scenario.name): \(count) seeds, \(failed.count) failed, \(Int(seconds)) s "
                + "(\(Int(Double(count) / max(seconds, 0.001))) a second), "
                + "\(total.steps) steps, \(total.switches) switches, "
                + "\(total.nanoseconds / 1_000_000_000) virtual s, "
                + "hash \(String(total.hash, radix: 16))")
        if let first = failed.first {
            print("\(scenario.name): seed \(first) is the first to fail")
        }
        return failed.isEmpty
    }

    private static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns nil if the run has failed.
    private func run(_ scenario: Scenario, _ seed: UInt64) -> runner_outcome? {
        fflush(nil)
        let number = Scenario.all.firstIndex { $0.name == scenario.name }!
        let outcome = runner_run(
            runner_request(scenario: UInt64(number), seed: seed, traces: options.traces))
        return outcome.status == 0 ? outcome : nil
    }

    /// In a process of its own.
    static func runSeed(
        _ request: runner_request, _ outcome: UnsafeMutablePointer<runner_outcome>?
    ) {
        alarm(mostSeconds)
        simulation_begin(request.seed, request.traces, mostSteps)
        Scenario.all[Int(request.scenario)].run(loops: Int(request.seed % 3 + 1))
        outcome?.pointee.hash = simulation_hash()
        outcome?.pointee.steps = simulation_steps()
        outcome?.pointee.switches = simulation_switches()
        outcome?.pointee.nanoseconds = simulation_now() - 1_000_000_000
        _exit(0)
    }
}
