internal import LinuxPlatform

/// Opens a path, then passes the result to its `IODescriptor`.
final class OpenOperation: FileOperation, @unchecked Sendable {
    // Safety: immutable after `init`.
    private let descriptor: IODescriptor

    /// - Parameter request: has the descriptor's path.
    init(_ request: FileRequest, for descriptor: IODescriptor) {
        self.descriptor = descriptor
        super.init(request)
    }

    override func completed(result: Int32) {
        descriptor.opened(result)
    }
}
