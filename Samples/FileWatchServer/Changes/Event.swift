import FileWatching
import SystemPackage
import WireFormats

/// A change in the form that clients receive.
struct Event: Sendable {
    let sequence: UInt64
    let path: [UInt8]
    /// The previous path of a rename.
    let from: [UInt8]?
    let action: FileChange.Action
    let isDirectory: Bool
    /// The JSON object, without a line end.
    let json: [UInt8]

    init(_ change: FileChange, sequence: UInt64) {
        self.sequence = sequence
        path = change.path.bytes
        from = change.previousPath?.bytes
        action = change.action
        isDirectory = change.kind == .directory
        var members: [JSONValue.Member] = [
            ("sequence", .integer(sequence)),
            ("time", .seconds(nanoseconds: change.timeNanoseconds)),
            ("event", .string(change.action.rawValue)),
        ]
        members += JSONValue.path("path", path)
        if let from { members += JSONValue.path("from", from) }
        members.append(("kind", .string(change.kind.rawValue)))
        if change.isDiscovered { members.append(("discovered", .boolean(true))) }
        json = JSONValue.object(members).bytes
    }

    /// Changes were lost: the event goes to every client.
    var concernsEverything: Bool { action == .rescan || action == .overflow }

    /// The folder's contents move or disappear without events of their own.
    var movesContents: Bool { isDirectory && (action == .renamed || action == .removed) }
}

extension FilePath {
    /// The path's bytes, which may have any value but 0.
    var bytes: [UInt8] {
        withPlatformString { text in
            // Safety: a platform string ends with a zero byte.
            Array(UnsafeRawBufferPointer(start: text, count: self.length))
        }
    }
}
