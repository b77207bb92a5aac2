/// What the user reads on standard error before exit status 1: the cause, then the remedy.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
