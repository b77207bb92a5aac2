internal import CSimulation
package import Synchronization

/// Stands for `Atomic` in a simulation: another thread may run before each operation, and none
/// during it. A store that is not sequentially consistent reaches other threads later, as on x86.
/// All other operations are sequentially consistent.
///
/// The operations themselves are in C, because Swift's runtime may take locks in generic code, and
/// another thread may run at each lock.
package struct SimulatedAtomic<Value: AtomicRepresentable>: ~Copyable, @unchecked Sendable {
    // Safety: the simulation runs one thread at a time.
    /// Gives the value its size and a fixed address.
    private let storage: Synchronization.Atomic<Value>

    package init(_ value: consuming Value) { storage = Synchronization.Atomic(value) }

    private var address: UnsafeMutableRawPointer {
        withUnsafePointer(to: storage) { UnsafeMutableRawPointer(mutating: $0) }
    }

    private static var size: Int { MemoryLayout<Value>.size }

    package func load(ordering: AtomicLoadOrdering) -> Value {
        withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { original in
            simulation_load(address, original.baseAddress, Self.size)
            return original[0]
        }
    }

    package func store(_ desired: consuming Value, ordering: AtomicStoreOrdering) {
        withUnsafeBytes(of: desired) {
            simulation_store(
                address, $0.baseAddress, Self.size, ordering == .sequentiallyConsistent)
        }
    }

    package func exchange(_ desired: consuming Value, ordering: AtomicUpdateOrdering) -> Value {
        withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { original in
            withUnsafeBytes(of: desired) {
                simulation_exchange(address, $0.baseAddress, original.baseAddress, Self.size)
            }
            return original[0]
        }
    }

    package func compareExchange(
        expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering
    ) -> (exchanged: Bool, original: Value) {
        withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { original in
            let exchanged = withUnsafeBytes(of: expected) { expected in
                withUnsafeBytes(of: desired) { desired in
                    simulation_compare_exchange(
                        address, expected.baseAddress, desired.baseAddress,
                        original.baseAddress, Self.size)
                }
            }
            return (exchanged, original[0])
        }
    }

    /// Fails now and then although it might succeed.
    package func weakCompareExchange(
        expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering
    ) -> (exchanged: Bool, original: Value) {
        if simulation_random(50) == 0 { return (false, load(ordering: .relaxed)) }
        return compareExchange(expected: expected, desired: desired, ordering: ordering)
    }
}

extension SimulatedAtomic where Value: FixedWidthInteger {
    private func update(_ change: (Value) -> Value) -> (oldValue: Value, newValue: Value) {
        var before = load(ordering: .relaxed)
        while true {
            let after = change(before)
            let (exchanged, original) = compareExchange(
                expected: before, desired: after, ordering: .sequentiallyConsistent)
            if exchanged { return (before, after) }
            before = original
        }
    }

    @discardableResult
    package func wrappingAdd(
        _ operand: Value, ordering: AtomicUpdateOrdering
    ) -> (oldValue: Value, newValue: Value) { update { $0 &+ operand } }

    @discardableResult
    package func wrappingSubtract(
        _ operand: Value, ordering: AtomicUpdateOrdering
    ) -> (oldValue: Value, newValue: Value) { update { $0 &- operand } }

    @discardableResult
    package func add(
        _ operand: Value, ordering: AtomicUpdateOrdering
    ) -> (oldValue: Value, newValue: Value) { update { $0 + operand } }

    @discardableResult
    package func bitwiseOr(
        _ operand: Value, ordering: AtomicUpdateOrdering
    ) -> (oldValue: Value, newValue: Value) { update { $0 | operand } }

    @discardableResult
    package func bitwiseAnd(
        _ operand: Value, ordering: AtomicUpdateOrdering
    ) -> (oldValue: Value, newValue: Value) { update { $0 & operand } }
}
