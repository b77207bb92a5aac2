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
        func add(_ text: String) { json += text.utf8 }
        add(#"{"sequence":"#)
        add(String(sequence))
        add(#","time":"#)
        let microseconds = change.timeNanoseconds / 1000
        add(String(microseconds / 1_000_000))
        add(".")
        // With its leading zeros.
        json += String(1_000_000 + microseconds % 1_000_000).utf8.dropFirst()
        add(#","event":""#)
        add(change.action.rawValue)
        add("\"")
        append(path, named: "path", to: &json)
        if let from { append(from, named: "from", to: &json) }
        add(#","kind":""#)
        add(change.kind.rawValue)
        add(change.isDiscovered ? #"","discovered":true}"# : #""}"#)
        return json
    }

    private static func append(_ path: [UInt8], named name: String, to json: inout [UInt8]) {
        let isPlain = path.allSatisfy { 0x20...0x7e ~= $0 && $0 != 0x22 && $0 != 0x5c }
        guard isPlain else {
            for (name, value) in JSONValue.path(name, path) {
                json += ",\"\(name)\":".utf8 + value.bytes
            }
            return
        }
        json += ",\"".utf8
        json += name.utf8
        json += "\":\"".utf8
        json += path
        json.append(UInt8(ascii: "\""))
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
