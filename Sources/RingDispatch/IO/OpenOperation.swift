internal import LinuxPlatform

/// Opens a path; the descriptor that asks for it goes on then.
final class OpenOperation: FileOperation, @unchecked Sendable {
    // Safety: nothing changes after `init`.
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

    override func completed(result: Int32, _ context: Context) {
        descriptor.opened(result, context)
    }
}
