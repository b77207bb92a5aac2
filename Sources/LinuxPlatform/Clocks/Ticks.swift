internal import CLinux

/// The CPU's cycle counter: a coarse stopwatch that costs a few nanoseconds. Never for deadlines.
package enum Ticks {
    @inline(__always)
    package static func now() -> UInt64 { clinux_ticks() }

    package static let perMicrosecond = clinux_ticks_per_microsecond()
}
