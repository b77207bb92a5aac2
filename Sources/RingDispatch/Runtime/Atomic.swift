#if SIMULATION
internal import LinuxPlatform
internal import Synchronization

/// Shadows the type of Synchronization.
typealias Atomic<Value: AtomicRepresentable> = LinuxPlatform.Atomic<Value>
#endif
