/// `data` is the or of what was merged. `DISPATCH_SOURCE_TYPE_DATA_OR`.
public protocol DispatchSourceUserDataOr: DispatchSourceProtocol {
    /// Ors into the value that the handler receives. `dispatch_source_merge_data`.
    func or(data: UInt)
}
