/// `data` is what was given last. `DISPATCH_SOURCE_TYPE_DATA_REPLACE`.
public protocol DispatchSourceUserDataReplace: DispatchSourceProtocol {
    /// Replaces what the handler is told. `dispatch_source_merge_data`.
    func replace(data: UInt)
}
