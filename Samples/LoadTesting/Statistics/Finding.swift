/// One error of a server, with its description.
struct Finding: Sendable {
    let kind: ErrorCounts.Kind
    let detail: String

    init(_ kind: ErrorCounts.Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }
}
