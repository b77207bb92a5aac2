import FileWatching
import SystemPackage
import WireFormats

/// A change as clients are told of it.
struct Event: Sendable {
    let sequence: UInt64
    let path: [UInt8]
    /// Of a rename.
    let from: [UInt8]?
    let action: FileChange.Action
    let isDirectory: Bool
    /// The JSON object, without the end of a line.
    let json: [UInt8]

    init(_ change: FileChange, sequence: UInt64) {
        self.sequence = sequence
        path = change.path.bytes
        from = change.previousPath?.bytes
        action = change.action
        isDirectory = change.kind == .directory
        var writer = JSONWriter(capacity: path.count + 160)
        writer.beginObject()
        writer.name("sequence")
        writer.integer(sequence)
        writer.name("time")
        writer.seconds(nanoseconds: change.timeNanoseconds)
        writer.name("event")
        writer.string(change.action.rawValue)
        writer.path("path", bytesName: "pathBytes", path)
        if let from { writer.path("from", bytesName: "fromBytes", from) }
        writer.name("kind")
        writer.string(change.kind.rawValue)
        if change.isDiscovered {
            writer.name("discovered")
            writer.boolean(true)
        }
        writer.endObject()
        json = writer.bytes
    }

    /// Something was lost, so that no choice of paths may keep it from a client.
    var concernsEverything: Bool { action == .rescan || action == .overflow }

    /// What is below a folder goes with it, and is not told of one by one.
    var movesContents: Bool { isDirectory && (action == .renamed || action == .removed) }
}

extension FilePath {
    /// Its bytes, which may be anything but 0.
    var bytes: [UInt8] {
        withPlatformString { text in
            // Safety: a platform string ends with a zero byte.
            Array(UnsafeRawBufferPointer(start: text, count: self.length))
        }
    }
}
