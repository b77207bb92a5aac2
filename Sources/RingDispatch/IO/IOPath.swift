internal import LinuxPlatform

/// A path of a channel, and how to open it.
final class IOPath: @unchecked Sendable {
    // Safety: nothing changes after `init`.
    private let bytes: ContiguousArray<CChar>
    let flags: Int32
    let mode: UInt32

    init(_ path: UnsafePointer<CChar>, flags: Int32, mode: UInt32) {
        var bytes = ContiguousArray<CChar>()
        var index = 0
        while path[index] != 0 {
            bytes.append(path[index])
            index += 1
        }
        bytes.append(0)
        self.bytes = bytes
        self.flags = flags
        self.mode = mode
    }

    var isAbsolute: Bool { bytes[0] == CChar(UInt8(ascii: "/")) }

    /// The address stays as long as the object does.
    var start: UnsafePointer<CChar> {
        // Safety: a constant array's elements lie in one heap object, which never moves.
        bytes.withUnsafeBufferPointer { $0.baseAddress! }
    }

    /// An error that can be foretold: the path leads nowhere, or to a directory.
    func findError() -> Int32 {
        do throws(SystemError) {
            let facts = try DescriptorFacts(path: start, openFlags: flags)
            return facts.isDirectory ? ErrorCode.isDirectory : 0
        } catch {
            // Whether the file can be made shows when it is.
            return DescriptorFacts.creates(flags) ? 0 : error.code
        }
    }
}
