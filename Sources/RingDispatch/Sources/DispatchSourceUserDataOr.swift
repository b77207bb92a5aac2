/// `data` is the bitwise or of the merged values. `DISPATCH_SOURCE_TYPE_DATA_OR`.
public protocol DispatchSourceUserDataOr: DispatchSourceProtocol {
    /// Ors bits into the value that the handler receives. `dispatch_source_merge_data`.
    func or(data: UInt)
}
