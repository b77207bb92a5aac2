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
        // A clock may be set to a time before 1970.
        let microseconds = UInt64(max(0, change.timeNanoseconds / 1000))
        json.add(#"{"sequence":"#)
        json.add(sequence)
        json.add(#","time":"#)
        json.add(microseconds / 1_000_000)
        json.add(".")
        json.add(microseconds % 1_000_000, digits: 6)
        json.add(#","event":""#)
        json += change.action.rawValue.utf8
        json.add(#"","#)
        json.add("path", path)
        if let from { json.add("from", from) }
        json.add(#""kind":""#)
        json += change.kind.rawValue.utf8
        json.add(#"""#)
        if change.isDiscovered { json.add(#","discovered":true"#) }
        json.add("}")
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

extension [UInt8] {
    fileprivate mutating func add(_ text: StaticString) { text.withUTF8Buffer { self += $0 } }

    /// - Parameter digits: more of them are written, where the number has more.
    fileprivate mutating func add(_ number: UInt64, digits: Int = 1) {
        var unit: UInt64 = 1
        for _ in 1..<digits { unit *= 10 }
        while number / unit >= 10 { unit *= 10 }
        while unit > 0 {
            append(UInt8(ascii: "0") + UInt8(number / unit % 10))
            unit /= 10
        }
    }

    /// Adds the JSON members for a path, and a comma.
    fileprivate mutating func add(_ name: String, _ path: [UInt8]) {
        let isPlain = path.allSatisfy { 0x20...0x7e ~= $0 && $0 != 0x22 && $0 != 0x5c }
        if isPlain {
            add("\"")
            self += name.utf8
            add("\":\"")
            self += path
            return add("\",")
        }
        for (name, value) in JSONValue.path(name, path) {
            add("\"")
            self += name.utf8
            add("\":")
            self += value.bytes
            add(",")
        }
    }
}
