/// `data` is the last merged value. `DISPATCH_SOURCE_TYPE_DATA_REPLACE`.
public protocol DispatchSourceUserDataReplace: DispatchSourceProtocol {
    /// Replaces the value that the handler receives. `dispatch_source_merge_data`.
    func replace(data: UInt)
}
