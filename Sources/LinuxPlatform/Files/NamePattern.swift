internal import Glibc

/// A pattern for the names of files, with `*`, `?` and `[...]`; see glob(7). Matches bytes, as long
/// as the program sets no locale.
package struct NamePattern: Sendable {
    /// Ends with a zero byte.
    private let text: [CChar]

    /// - Parameter pattern: without slashes. With a zero byte it matches nothing.
    package init(_ pattern: [UInt8]) {
        let pattern = pattern.contains(0) ? [UInt8(ascii: "\\")] : pattern
        // fnmatch searches the end of each bracket again, at each byte of a name.
        let closed = pattern.lastIndex(of: UInt8(ascii: "]")) ?? -1
        var text: [UInt8] = []
        var isEscaped = false
        for (index, byte) in pattern.enumerated() {
            if byte == UInt8(ascii: "["), index > closed, !isEscaped {
                text.append(UInt8(ascii: "\\"))
            }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            text.append(byte)
        }
        self.text = (text + [0]).map { CChar(bitPattern: $0) }
    }

    /// fnmatch(3).
    package func matches(_ name: ArraySlice<UInt8>) -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: name.count + 1) { buffer in
            let end = buffer.initialize(fromContentsOf: name.lazy.map { CChar(bitPattern: $0) })
            buffer.initializeElement(at: end, to: 0)
            return text.withUnsafeBufferPointer { text in
                guard let text = text.baseAddress, let name = buffer.baseAddress else {
                    return false
                }
                return fnmatch(text, name, 0) == 0
            }
        }
    }
}
