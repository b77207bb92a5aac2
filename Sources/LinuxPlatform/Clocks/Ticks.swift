internal import CLinux

/// A rough stopwatch that costs a few nanoseconds: the CPU's counter. Never for deadlines.
package enum Ticks {
    @inline(__always)
    package static func now() -> UInt64 { clinux_ticks() }

    package static let perMicrosecond = clinux_ticks_per_microsecond()
}
