/// One error of a server, with its description.
struct Finding: Sendable {
    let kind: ErrorCounts.Kind
    /// Control characters are escaped: it may quote the server, and is printed to a terminal.
    let detail: String

    init(_ kind: ErrorCounts.Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail.unicodeScalars.map { scalar in
            let isControl = scalar.properties.generalCategory == .control
            return isControl ? scalar.escaped(asASCII: true) : String(scalar)
        }.joined()
    }
}
