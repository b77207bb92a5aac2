internal import CLinux
internal import Glibc

/// futex(2), process-private, on a 32-bit word.
package enum Futex {
    /// Sleeps while the word holds `expected`. May return early: check the word again.
    /// - Parameter deadline: on CLOCK_MONOTONIC, in nanoseconds; `.max`: never.
    /// - Returns: whether the deadline has passed.
    package static func wait(
        _ word: UnsafeMutableRawPointer, expected: UInt32, deadline: UInt64 = .max
    ) -> Bool {
        let address = word.assumingMemoryBound(to: UInt32.self)
        guard deadline != .max else {
            _ = clinux_futex_wait(address, expected, nil)
            return false
        }
        var time = timespec(
            tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        return clinux_futex_wait(address, expected, &time) == -Int(ETIMEDOUT)
    }

    /// Wakes one thread that sleeps on the word. The kernel does not access the word, so
    /// its memory may be freed already.
    package static func wake(_ word: UnsafeMutableRawPointer) {
        clinux_futex_wake(word.assumingMemoryBound(to: UInt32.self))
    }
}
