internal import LinuxPlatform

/// A channel's path, and the flags and mode to open it with.
struct IOPath: Sendable {
    private let bytes: ContiguousArray<CChar>
    let flags: Int32
    let mode: UInt32

    init(_ path: UnsafePointer<CChar>, flags: Int32, mode: UInt32) {
        var count = 0
        while path[count] != 0 { count += 1 }
        bytes = ContiguousArray(UnsafeBufferPointer(start: path, count: count + 1))
        self.flags = flags
        self.mode = mode
    }

    /// Whether the file is opened to be written, too.
    var isWritten: Bool { DescriptorFacts.writes(flags) }

    /// Opens the path.
    var request: FileRequest {
        FileRequest(.open(start, flags: DescriptorFacts.completed(flags), mode: mode))
    }

    /// Opens the path without the library's O_NONBLOCK; nil if the program has set it.
    var waitingRequest: FileRequest? {
        DescriptorFacts.waitingFlags(flags).map {
            FileRequest(.open(start, flags: $0, mode: mode))
        }
    }

    var isAbsolute: Bool { bytes[0] == CChar(UInt8(ascii: "/")) }

    /// Valid as long as a copy of the path exists.
    var start: UnsafePointer<CChar> {
        // Safety: a constant array's elements lie in one heap object, which never moves.
        bytes.withUnsafeBufferPointer { $0.baseAddress! }
    }

    /// Predicts an error of open(2): a path that does not exist or is a directory. 0 if there is
    /// none.
    func findError() -> Int32 {
        do throws(SystemError) {
            let facts = try DescriptorFacts(path: start, openFlags: flags)
            return facts.isDirectory ? ErrorCode.isDirectory : 0
        } catch {
            // Creating the file may still succeed.
            return DescriptorFacts.creates(flags) ? 0 : error.code
        }
    }
}
