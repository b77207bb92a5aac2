#if SIMULATION
package import SimulatedAtomics
package import Synchronization

/// Shadows the type of Synchronization.
package typealias Atomic<Value: AtomicRepresentable> = SimulatedAtomic<Value>
#endif
