extension String {
    /// Text from outside, for a message of one line: control characters are shown as
    /// `\u{1b}`, and bytes that are not UTF-8 as replacement characters.
    package init(shown text: some Collection<UInt8>) {
        let scalars = String(decoding: text, as: UTF8.self).unicodeScalars.map { scalar in
            let isControl = scalar.properties.generalCategory == .control
            return isControl ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
        self = scalars.joined()
    }
}
