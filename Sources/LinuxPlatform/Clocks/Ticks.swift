internal import CLinux

#if SIMULATION
internal import CSimulation
#endif

/// The CPU's cycle counter: a coarse stopwatch that costs a few nanoseconds. Never for deadlines.
package enum Ticks {
    #if SIMULATION
    package static func now() -> UInt64 { simulation_ticks() }
    #else
    @inline(__always)
    package static func now() -> UInt64 { clinux_ticks() }
    #endif

    package static let perMicrosecond = clinux_ticks_per_microsecond()
}
