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
        json = Self.json(of: change, sequence: sequence, path, from: from)
    }

    /// Written without a `JSONValue` of the whole: this is most of the work for a change.
    private static func json(
        of change: FileChange, sequence: UInt64, _ path: [UInt8], from: [UInt8]?
    ) -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(path.count + 160)
        func add(_ texts: String...) { for text in texts { json += text.utf8 } }
        add(#"{"sequence":"#, String(sequence), #","time":"#)
        json += JSONValue.seconds(nanoseconds: change.timeNanoseconds).bytes
        add(#","event":""#, change.action.rawValue, "\"")
        let paths = JSONValue.path("path", path) + (from.map { JSONValue.path("from", $0) } ?? [])
        for (name, value) in paths {
            add(",\"", name, "\":")
            json += value.bytes
        }
        let end = change.isDiscovered ? #"","discovered":true}"# : #""}"#
        add(#","kind":""#, change.kind.rawValue, end)
        return json
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
