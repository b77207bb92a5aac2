internal import CLinux
internal import Glibc

/// futex(2), process-private, on a 32-bit word.
package enum Futex {
    package enum Outcome {
        /// Woken, interrupted, or the word differed: check the word again.
        case woken
        case timedOut
    }

    /// Sleeps while the word holds `expected`.
    /// - Parameter deadline: on CLOCK_MONOTONIC, in nanoseconds; nil waits without a limit.
    package static func wait(
        _ word: UnsafeMutableRawPointer, expected: UInt32, deadline: UInt64? = nil
    ) -> Outcome {
        let address = word.assumingMemoryBound(to: UInt32.self)
        guard let deadline else {
            _ = clinux_futex_wait(address, expected, nil)
            return .woken
        }
        var time = timespec(
            tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        let code = -clinux_futex_wait(address, expected, &time)
        return code == Int(ETIMEDOUT) ? .timedOut : .woken
    }

    /// Wakes up to `count` threads that sleep on the word. The kernel does not access the word, so
    /// its memory may be freed already.
    package static func wake(_ word: UnsafeMutableRawPointer, count: Int32 = 1) {
        clinux_futex_wake(word.assumingMemoryBound(to: UInt32.self), count)
    }
}
