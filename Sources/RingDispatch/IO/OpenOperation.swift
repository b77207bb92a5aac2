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
        // The file ring's thread serves all files, and `opened` calls the file system.
        DispatchQueue.global().submit { [descriptor] in
            guard result == -ErrorCode.tryAgain, let request = descriptor.path?.waitingRequest
            else { return descriptor.opened(result) }
            // Another process has the file to itself (F_SETLEASE), and must give it up first.
            Blocking.begin()
            descriptor.opened(request.performBlocking())
        }
    }
}
