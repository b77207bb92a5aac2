/// `data` is the sum of the merged values. `DISPATCH_SOURCE_TYPE_DATA_ADD`.
public protocol DispatchSourceUserDataAdd: DispatchSourceProtocol {
    /// Adds to the value that the handler receives. `dispatch_source_merge_data`.
    func add(data: UInt)
}
