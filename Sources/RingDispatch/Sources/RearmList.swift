/// Sources that a thread registers again when it is back in its loop, in order. Each entry holds a
/// reference to its source.
struct RearmList {
    private var first: Unmanaged<DescriptorSource>?
    private var last: Unmanaged<DescriptorSource>?

    @inline(__always)
    var isEmpty: Bool { first == nil }

    @inline(__always)
    mutating func append(_ reference: Unmanaged<DescriptorSource>) {
        reference._withUnsafeGuaranteedRef { $0.nextToRearm = nil }
        if let last {
            last._withUnsafeGuaranteedRef { $0.nextToRearm = reference }
        } else {
            first = reference
        }
        last = reference
    }

    /// Transfers the first reference to the caller.
    @inline(__always)
    mutating func popFirst() -> Unmanaged<DescriptorSource>? {
        guard let reference = first else { return nil }
        first = reference._withUnsafeGuaranteedRef { $0.nextToRearm }
        if first == nil { last = nil }
        return reference
    }
}
