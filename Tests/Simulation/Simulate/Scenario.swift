internal import CSimulation
internal import Glibc
internal import RingDispatch

/// A program for one seed. It ends with `fail` if something is wrong.
struct Scenario: Sendable {
    let name: String
    /// Called before the runtime starts.
    var setUp: @Sendable (_ loops: Int) -> Void = { _ in }
    let body: @Sendable () -> Void

    static let all = [
        Scenario(name: "sources") { SourcesScenario().run() },
        Scenario(name: "streams") { StreamsScenario().run() },
        Scenario(name: "queues", setUp: QueuesScenario.setUp) { QueuesScenario().run() },
        Scenario(name: "channels") { ChannelsScenario().run() },
    ]

    /// Runs the body on a kernel that misbehaves, and requires that nothing is left.
    func run(loops: Int) {
        setenv("RINGDISPATCH_LOOPS", "\(loops)", 1)
        setUp(loops)
        _ = DispatchRuntime.snapshot()
        let descriptors = simulation_open_descriptors()
        simulation_set_fault(SIMULATION_SHORT_TRANSFERS, UInt32(random(0...200)))
        simulation_set_fault(SIMULATION_INTERRUPTS, UInt32(random(0...30)))
        simulation_set_fault(SIMULATION_FEWER_EVENTS, UInt32(random(0...200)))
        body()
        requireNothingLeft(descriptors: descriptors)
    }
}
