import FileWatching

/// Bytes as text. Unprintable bytes, spaces and backslashes become `\xNN`.
func escaped(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef")
    var text = ""
    for byte in bytes {
        if byte > 0x20, byte < 0x7f, byte != 0x5c {
            text.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
            text += "\\x\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
    }
    return text
}

/// The bytes of an escaped word; nil for an invalid escape.
func unescaped(_ word: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(word.utf8)[...]
    while let byte = rest.popFirst() {
        guard byte == 0x5c else {
            bytes.append(byte)
            continue
        }
        guard rest.popFirst() == UInt8(ascii: "x"), rest.count >= 2,
            let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
        else { return nil }
        rest = rest.dropFirst(2)
        bytes.append(value)
    }
    return bytes
}

/// A change in one line, for a test's message.
func describe(_ change: FileChange) -> String {
    let from = change.previousPath.map { escaped($0.bytes) + " -> " } ?? ""
    let discovered = change.isDiscovered ? " discovered" : ""
    return "\(change.action) \(change.kind) \(from)\(escaped(change.path.bytes))\(discovered)"
}
