public import RingDispatch
public import SystemPackage

extension Errno {
    /// The same number in swift-system's type.
    public init(_ number: ErrorNumber) { self.init(rawValue: number.rawValue) }
}
