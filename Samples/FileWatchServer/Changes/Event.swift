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
        func add(_ name: String, path: [UInt8]) {
            if path.allSatisfy({ 0x20...0x7e ~= $0 && $0 != 0x22 && $0 != 0x5c }) {
                add(",\"", name, "\":\"")
                json += path
                return add("\"")
            }
            for (name, value) in JSONValue.path(name, path) {
                add(",\"", name, "\":")
                json += value.bytes
            }
        }
        // A clock may be set to a time before 1970.
        let microseconds = max(0, change.timeNanoseconds / 1000)
        add(#"{"sequence":"#, String(sequence), #","time":"#, String(microseconds / 1_000_000), ".")
        // With its leading zeros.
        json += String(1_000_000 + microseconds % 1_000_000).utf8.dropFirst()
        add(#","event":""#, change.action.rawValue, "\"")
        add("path", path: path)
        if let from { add("from", path: from) }
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
