import RingConcurrency
import RingDispatch
import TestSupport
import Testing

/// Installs the executors in the process of a test.
func begin() {
    prepareForTrap()
    #expect(RingConcurrency.install())
}
