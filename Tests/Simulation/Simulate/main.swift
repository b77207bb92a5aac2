internal import CSimulation

// Runs scenarios on the simulated kernel, each seed in a process of its own.
//
//   simulate [SCENARIO...] [--seeds FIRST-LAST] [--twice] [--trace] [--stop]

if runner_is_served(CommandLine.argc, CommandLine.unsafeArgv) {
    runner_serve { Runner.runSeed($0, $1) }
}
Runner(Options(CommandLine.arguments.dropFirst())).run()
