internal import LinuxPlatform

/// Opens a path, then passes the result to its `IODescriptor`.
final class OpenOperation: FileOperation, @unchecked Sendable {
    // Safety: immutable after `init`.
    private let descriptor: IODescriptor
    private let path: IOPath

    init(_ path: IOPath, for descriptor: IODescriptor) {
        self.path = path
        self.descriptor = descriptor
        super.init(
            FileRequest(
                .open(
                    path.start, flags: DescriptorFacts.completed(path.flags), mode: path.mode)))
    }

    override func completed(result: Int32) {
        descriptor.opened(result)
    }
}
